import RequestHistory

/// Callers whose requests a rule permitted in the last hour, as the access log shows them after `redact`.
public struct PassedReport: Sendable, Hashable {
    public struct Caller: Sendable, Hashable {
        /// True if it is the client that the tokens were issued to, false if it is their subject.
        public let isClient: Bool
        public let caller: CallerReport.Caller
    }

    /// Callers of the rule, largest count first.
    public let callers: [Caller]
    /// Largest number of requests that a caller can have sent who is not listed.
    public let unlisted: UInt64
    /// Time in which the requests ended, up to now. Less than an hour.
    public let length: Duration

    /// - Parameter now: monotonic time in nanoseconds.
    init(_ windows: [HeavyHitterWindow], of rule: RuleMark, at now: Int64) {
        let summary = HeavyHitterSummary(windows, at: now)
        callers = summary.entries.filter { rule.begins($0.key) }.map { entry in
            Caller(
                isClient: RuleMark.isClient(entry.key),
                caller: CallerReport.Caller(entry, behind: RuleMark.byteCount))
        }
        unlisted = summary.unlisted
        length = .nanoseconds(windows.map { $0.length(at: now) }.max() ?? 0)
    }
}

extension HeavyHitterSummary {
    /// Summary of the windows of all event loops.
    ///
    /// - Parameter now: monotonic time in nanoseconds.
    init(_ windows: [HeavyHitterWindow], at now: Int64) {
        self = windows.reduce(HeavyHitterSummary()) { merged, window in
            var window = window
            window.advance(to: now)
            return merged.merged(with: window.summary)
        }
    }
}
