/// Connections to one HTTP/2 upstream that are there, and wait for a session that was there first to say how many
/// requests it takes.
///
/// Requests that come together have each asked for a connection. A session costs more than a stream, so they join the
/// first one; but not before its SETTINGS, because a request too many would be refused. As many wait as sessions of
/// this upstream have taken last.
struct SessionJoiners {
    private struct Joiner {
        let deadline: UInt64
        let begin: () -> Void
    }

    private var waiting: ContiguousArray<Joiner> = []
    /// Requests at once that the last session took; what HTTP/2 sessions may assume until one has said so.
    private var usualLimit = 100

    /// Waits, if there is likely to be room.
    ///
    /// - Parameters:
    ///   - sessions: those that have not stated their limits.
    ///   - deadline: the tick from which it begins anyway.
    ///   - begin: joins a session, or begins one.
    /// - Returns: false if it does not wait.
    mutating func wait(for sessions: Int, until deadline: UInt64, _ begin: @escaping () -> Void) -> Bool {
        guard waiting.count < sessions.multipliedReportingOverflow(by: usualLimit).partialValue else { return false }
        waiting.append(Joiner(deadline: deadline, begin: begin))
        return true
    }

    /// A session stated how many requests it takes.
    mutating func stated(_ limit: Int) { usualLimit = max(1, limit) }

    /// Takes all out; they are to begin.
    mutating func takeAll() -> [() -> Void] {
        defer { waiting = [] }
        return waiting.map(\.begin)
    }

    /// Takes those out that have waited for long enough.
    mutating func takeExpired(at tick: UInt64) -> [() -> Void] {
        let expired = waiting.prefix { $0.deadline <= tick }
        waiting.removeFirst(expired.count)
        return expired.map(\.begin)
    }
}
