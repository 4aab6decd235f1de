/// Outcomes of the requests of one kind, with their times.
struct Tally: Hashable {
    private(set) var forwarded: Int64 = 0
    private(set) var refused: Int64 = 0
    private(set) var unavailable: Int64 = 0
    /// Time of the last forwarded request, and of the last one that was not. Nil if there was none.
    private(set) var lastForwarded: Int64?
    private(set) var lastNotForwarded: Int64?

    var all: Int64 { forwarded + refused + unavailable }
    var notForwarded: Int64 { refused + unavailable }

    /// - Parameter last: time of the last of these requests.
    mutating func note(_ fate: Fate, _ count: Int64 = 1, last: Int64) {
        guard count > 0 else { return }
        switch fate {
        case .forwarded: forwarded += count
        case .refused: refused += count
        case .unavailable, .waits, .waitsForQuotas: unavailable += count
        }
        if fate == .forwarded {
            lastForwarded = max(lastForwarded ?? last, last)
        } else {
            lastNotForwarded = max(lastNotForwarded ?? last, last)
        }
    }

    mutating func add(_ other: Tally) {
        forwarded += other.forwarded
        refused += other.refused
        unavailable += other.unavailable
        lastForwarded = [lastForwarded, other.lastForwarded].compactMap { $0 }.max()
        lastNotForwarded = [lastNotForwarded, other.lastNotForwarded].compactMap { $0 }.max()
    }
}
