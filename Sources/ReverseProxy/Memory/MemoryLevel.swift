/// Level of available memory.
///
/// At `short`, new requests are refused, so that the remaining reserve serves requests in flight. The reserve below
/// `out` covers allocations until the next check.
enum MemoryLevel: Int, Comparable, CaseIterable, Sendable {
    case ample
    /// New requests are refused, held bodies are dropped, and HTTP/2 clients get no window. An upstream is read only
    /// for a client that has taken everything.
    case short
    /// Nothing is read from any peer, and no connection is accepted.
    case out

    static func < (one: MemoryLevel, other: MemoryLevel) -> Bool { one.rawValue < other.rawValue }
}

/// A change of memory that is announced to the event loops.
enum MemoryNews: Hashable, Sendable {
    /// Free storage that is kept only in case it is needed.
    case isShort
    case levelChanged
}

/// Memory in use under a bound (control group or address space), and the bound, in bytes.
struct MemoryUse: Hashable, Sendable {
    let used: Int
    let bound: Int

    var left: Int { max(0, bound &- used) }

    /// Memory that is kept free: a tenth of the bound. For small bounds up to a sixth, because the memory that clients
    /// can have in flight does not shrink with the bound.
    private var reserve: Int { max(bound / 10, min(Self.leastReserve, bound / 6)) }
    private static let leastReserve = 32 << 20

    /// - Parameter before: Level until now. Leaving a level takes more free memory than staying out of it (hysteresis).
    func level(after before: MemoryLevel) -> MemoryLevel {
        if left < (before == .out ? reserve / 4 * 3 : reserve / 2) { return .out }
        return left < (before == .ample ? reserve : reserve &+ bound / 10) ? .short : .ample
    }
}
