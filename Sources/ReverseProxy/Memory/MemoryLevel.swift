/// How much memory is left, in three levels.
///
/// Between the first two lies what was left free for requests that are in flight: they go on with it while new ones are
/// refused. The last is what comes before anyone can look again.
enum MemoryLevel: Int, Comparable, CaseIterable, Sendable {
    case ample
    /// New requests are refused, bodies are let go of, and no client gets a window. Of an upstream more is read only
    /// for a client that has taken everything.
    case short
    /// Nothing is read from anybody, and no connection is accepted.
    case out

    static func < (one: MemoryLevel, other: MemoryLevel) -> Bool { one.rawValue < other.rawValue }
}

/// What the event loops hear of memory.
enum MemoryNews: Hashable, Sendable {
    /// What is only kept in case it is needed must go.
    case isShort
    case levelChanged
}

/// What is used of what a bound allows, in bytes.
struct MemoryUse: Hashable, Sendable {
    let used: Int
    let bound: Int

    var left: Int { max(0, bound &- used) }

    /// What is kept free: a tenth, and of small bounds up to a sixth, because what clients can have in flight does not
    /// shrink with the bound.
    private var reserve: Int { max(bound / 10, min(Self.leastReserve, bound / 6)) }
    private static let leastReserve = 32 << 20

    /// - Parameter before: the level until now: it takes more to leave one than to stay outside.
    func level(after before: MemoryLevel) -> MemoryLevel {
        if left < (before == .out ? reserve / 4 * 3 : reserve / 2) { return .out }
        return left < (before == .ample ? reserve : reserve &+ bound / 10) ? .short : .ample
    }
}
