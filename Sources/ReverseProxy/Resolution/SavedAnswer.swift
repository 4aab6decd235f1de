import NIOCore
import NetworkNames

/// Answer for a name from the previous process, and the limits of its use. Times are monotonic, in nanoseconds.
struct SavedAnswer: Hashable {
    let addresses: [IPAddress]
    /// Time at which name servers gave the answer.
    let learntAt: Int64

    /// Addresses that are young enough to be used.
    ///
    /// - Parameter hasPlainTargets: whether requests go to the name without TLS.
    func usable(hasPlainTargets: Bool, at now: Int64) -> [IPAddress] {
        let age = now &- learntAt
        return addresses.filter { address in
            let isNear = address.addressClass == .loopback
            let limit = hasPlainTargets && !isNear ? SavedNames.longestAgeWithoutTLS : SavedNames.longestAge
            return (0...TimeAmount(limit).nanoseconds).contains(age)
        }
    }
}
