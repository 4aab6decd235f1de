/// The key IDs that an issuer was asked for a moment ago and did not have: to ask for one again would cost another
/// token's key its fetch.
///
/// Only what a fetch has confirmed comes here, and it is believed for a minute at most. It changes with events alone,
/// so that requests can read it without a clock.
public struct RefusedKeyIDs: Sendable {
    /// By their bytes: Swift's strings are equal when they only look equal.
    private var until: [[UInt8]: ContinuousClock.Instant] = [:]
    /// Time at which the first of them expires. Nil if there are none.
    private(set) var nextEnd: ContinuousClock.Instant?
    /// Grows with each change.
    private(set) var version: UInt64 = 0

    /// Clients choose the key IDs of tokens.
    public static let limit = 1024
    static let memory = Duration.seconds(60)

    public init() {}

    var count: Int { until.count }

    /// Whether no other can be remembered now.
    public var isFull: Bool { until.count >= Self.limit }

    public func contains(_ keyID: String) -> Bool {
        !until.isEmpty && until[Array(keyID.utf8)] != nil
    }

    /// Remembers a key ID, unless as many are remembered already.
    public mutating func insert(_ keyID: String, at now: ContinuousClock.Instant) {
        let bytes = Array(keyID.utf8)
        guard !isFull || until[bytes] != nil else { return }
        let end = now.advanced(by: Self.memory)
        until[bytes] = end
        nextEnd = nextEnd ?? end
        version &+= 1
    }

    /// Forgets those whose time is over.
    mutating func expire(at now: ContinuousClock.Instant) {
        guard let nextEnd, nextEnd <= now else { return }
        until = until.filter { now < $0.value }
        self.nextEnd = until.values.min()
        version &+= 1
    }

    /// Forgets all: the keys have changed.
    mutating func removeAll() {
        guard !until.isEmpty else { return }
        until = [:]
        nextEnd = nil
        version &+= 1
    }
}
