/// State that a key set's lifecycle passes to its successor if only the configuration of its times and limits changes.
public struct KeySetSuccession: Sendable {
    /// The last valid answer. Nil if there has been none.
    public var saved: SavedKeySet?
    public internal(set) var generation: UInt64 = 0
    public internal(set) var lastFetchSucceeded = false
    public internal(set) var counters = KeySetCounters()
    /// True if no fetch has confirmed the keys since they were read from disk.
    public internal(set) var isUnconfirmed = false
}
