/// The key IDs that an issuer was asked for a moment ago and did not have: to ask for one again would cost another token's key its fetch.
///
/// Only what a fetch has confirmed comes here, and it is believed for a minute at most.
struct RefusedKeyIDs: Sendable {
    /// By their bytes: Swift's strings are equal when they only look equal.
    private var until: [[UInt8]: ContinuousClock.Instant] = [:]
    /// No key ID is forgotten before: a full table is searched only when that can free an entry.
    private var firstEnd: ContinuousClock.Instant?

    /// Clients choose the key IDs of tokens.
    static let limit = 1024
    static let memory = Duration.seconds(60)

    var count: Int { until.count }

    func contains(_ keyID: String, at now: ContinuousClock.Instant) -> Bool {
        until[Array(keyID.utf8)].map { now < $0 } ?? false
    }

    /// Remembers a key ID, unless as many are remembered already.
    mutating func insert(_ keyID: String, at now: ContinuousClock.Instant) {
        if until.count >= Self.limit, let firstEnd, firstEnd <= now { removeOld(at: now) }
        let bytes = Array(keyID.utf8)
        guard until.count < Self.limit || until[bytes] != nil else { return }
        let end = now.advanced(by: Self.memory)
        until[bytes] = end
        firstEnd = firstEnd ?? end
    }

    private mutating func removeOld(at now: ContinuousClock.Instant) {
        until = until.filter { now < $0.value }
        firstEnd = until.values.min()
    }

    /// Forgets all: the keys have changed.
    mutating func removeAll() {
        until = [:]
        firstEnd = nil
    }
}
