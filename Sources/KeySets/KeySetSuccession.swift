/// State that a key set hands to its successor if only the rules for it change.
public struct KeySetSuccession: Sendable {
    /// The last good answer. Nil if there has been none.
    public var saved: SavedKeySet?
    public internal(set) var generation: UInt64 = 0
    public internal(set) var lastFetchSucceeded = false
    public internal(set) var counters = KeySetCounters()
    /// Whether no fetch has confirmed the keys since they were read from disk.
    public internal(set) var isUnconfirmed = false
}
