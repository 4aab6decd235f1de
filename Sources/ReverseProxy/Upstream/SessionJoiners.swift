/// Queue of new connections to one HTTP/2 upstream that wait for an earlier session to announce its stream limit.
///
/// Concurrent requests each open a connection. A session costs more than a stream, so later requests join the first
/// session. They wait for its SETTINGS, because the upstream would refuse a stream beyond its limit. For each session
/// that has not announced its limit, as many may wait as the upstream's last session allowed.
struct SessionJoiners {
    private struct Joiner {
        let deadline: UInt64
        let begin: () -> Void
    }

    private var waiting: ContiguousArray<Joiner> = []
    /// Stream limit that the upstream's last session announced. Initially 100, which sessions may assume before
    /// SETTINGS.
    private var usualLimit = 100

    /// Queues a connection if the sessions probably have a free stream for it.
    ///
    /// - Parameters:
    ///   - sessions: number of open sessions that have not announced their limits.
    ///   - deadline: tick at which the connection stops waiting.
    ///   - begin: called when the wait ends; joins a session or begins one.
    /// - Returns: false if the connection is not queued.
    mutating func wait(for sessions: Int, until deadline: UInt64, _ begin: @escaping () -> Void) -> Bool {
        guard waiting.count < sessions.multipliedReportingOverflow(by: usualLimit).partialValue else { return false }
        waiting.append(Joiner(deadline: deadline, begin: begin))
        return true
    }

    /// Records the stream limit that a session announced.
    mutating func stated(_ limit: Int) { usualLimit = max(1, limit) }

    /// Removes all waiting connections. The caller must call the returned closures.
    mutating func takeAll() -> [() -> Void] {
        defer { waiting = [] }
        return waiting.map(\.begin)
    }

    /// Removes the connections whose deadline has passed. The caller must call the returned closures.
    mutating func takeExpired(at tick: UInt64) -> [() -> Void] {
        let expired = waiting.prefix { $0.deadline <= tick }
        waiting.removeFirst(expired.count)
        return expired.map(\.begin)
    }
}
