/// What a key set hands to its successor when only the rules for it change.
public struct KeySetSuccession: Sendable {
    /// nil: there has been no good answer yet.
    public var saved: SavedKeySet?
    public var generation: UInt64
    public var lastFetchSucceeded: Bool
    public var counters: KeySetCounters
    /// Whether no fetch has confirmed the keys since they were read from disk.
    public var isUnconfirmed: Bool

    public init(
        saved: SavedKeySet?,
        generation: UInt64 = 0,
        lastFetchSucceeded: Bool = false,
        counters: KeySetCounters = KeySetCounters(),
        isUnconfirmed: Bool = false,
    ) {
        self.saved = saved
        self.generation = generation
        self.lastFetchSucceeded = lastFetchSucceeded
        self.counters = counters
        self.isUnconfirmed = isUnconfirmed
    }
}
