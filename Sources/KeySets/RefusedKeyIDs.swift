/// Key IDs that an issuer recently did not have. A new fetch for one of them would use up the allowance for other keys.
///
/// Contains only key IDs that a fetch confirmed as unknown, for at most a minute. Only events of the lifecycle change
/// it, so requests can read it without a clock.
public struct RefusedKeyIDs: Sendable {
    /// Expiry of each key ID. The keys are bytes, because Swift's strings are equal if they only look equal.
    private var until: [[UInt8]: ContinuousClock.Instant] = [:]
    /// Time at which the next entry expires. Nil if there is none.
    private(set) var nextEnd: ContinuousClock.Instant?
    /// Number that grows with each change.
    private(set) var version: UInt64 = 0

    /// Largest number of entries. Clients choose the key IDs of tokens, so the number must be limited.
    public static let limit = 1024
    static let memory = Duration.seconds(60)

    public init() {}

    var count: Int { until.count }

    /// True if no other key ID can be added now.
    public var isFull: Bool { until.count >= Self.limit }

    public func contains(_ keyID: String) -> Bool {
        !until.isEmpty && until[Array(keyID.utf8)] != nil
    }

    /// Adds a key ID, or extends its time. Does nothing for a new key ID if the set is full.
    public mutating func insert(_ keyID: String, at now: ContinuousClock.Instant) {
        let bytes = Array(keyID.utf8)
        guard !isFull || until[bytes] != nil else { return }
        let end = now.advanced(by: Self.memory)
        until[bytes] = end
        nextEnd = nextEnd ?? end
        version &+= 1
    }

    /// Removes the expired key IDs.
    mutating func expire(at now: ContinuousClock.Instant) {
        guard let nextEnd, nextEnd <= now else { return }
        until = until.filter { now < $0.value }
        self.nextEnd = until.values.min()
        version &+= 1
    }

    /// Removes all key IDs, because the keys have changed.
    mutating func removeAll() {
        guard !until.isEmpty else { return }
        until = [:]
        nextEnd = nil
        version &+= 1
    }
}
