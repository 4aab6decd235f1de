import NIOCore
import NetworkNames

/// What the process before knew of a name, and for how long it may be used. Times are monotonic, in nanoseconds.
struct SavedAnswer: Hashable {
    let addresses: [IPAddress]
    /// When name servers gave it.
    let learntAt: Int64

    /// The addresses that are young enough.
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
