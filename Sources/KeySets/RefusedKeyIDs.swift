/// The key IDs that an issuer was asked for a moment ago and did not have: to ask for one again would cost another token's key its fetch.
///
/// Only what a fetch has confirmed comes here, and it is believed for a minute at most.
struct RefusedKeyIDs: Sendable {
    private var until: [String: ContinuousClock.Instant] = [:]

    /// Whoever sends tokens chooses their key IDs.
    static let limit = 1024
    static let memory = Duration.seconds(60)

    var count: Int { until.count }

    func contains(_ keyID: String, at now: ContinuousClock.Instant) -> Bool {
        until[keyID].map { now < $0 } ?? false
    }

    /// Remembers a key ID, unless as many are remembered already.
    mutating func insert(_ keyID: String, at now: ContinuousClock.Instant) {
        if until.count >= Self.limit { until = until.filter { now < $0.value } }
        guard until.count < Self.limit || until[keyID] != nil else { return }
        until[keyID] = now.advanced(by: Self.memory)
    }

    /// Forgets all: the keys have changed.
    mutating func removeAll() { until = [:] }
}
