/// Count of log lines that could not be written, and the rules for reporting them to the operator.
///
/// No clock and no output. The operator gets one warning when lines begin to be lost, and one message when writing
/// works again. If the two alternate quickly, these pairs of messages are limited to one a second, with a few saved up.
struct DroppedLines {
    /// Largest number of message pairs in quick succession.
    static let savedWarnings = 5
    /// Time after which one more message pair is allowed.
    static let warningInterval: Duration = .seconds(1)

    /// Number of lines lost since the start.
    private(set) var total: UInt64 = 0
    /// Number of lines lost since the last report to the operator.
    private var untold: UInt64 = 0
    private var isWarned = false
    /// Time at which the largest number of message pairs is allowed again. Nil before the first pair.
    private var allSavedAt: ContinuousClock.Instant?

    /// Counts lost lines.
    ///
    /// - Returns: true if a warning is due.
    mutating func drop(_ count: UInt64, at now: ContinuousClock.Instant) -> Bool {
        guard count > 0 else { return false }
        total &+= count
        untold &+= count
        guard !isWarned, takeWarning(at: now) else { return false }
        isWarned = true
        return true
    }

    /// Notes that lines are written again.
    ///
    /// - Returns: the number of lost lines to report. Nil if no report is due.
    mutating func recover(at now: ContinuousClock.Instant) -> UInt64? {
        guard untold > 0, isWarned || takeWarning(at: now) else { return nil }
        defer { (untold, isWarned) = (0, false) }
        return untold
    }

    private mutating func takeWarning(at now: ContinuousClock.Instant) -> Bool {
        let allSavedAt = max(self.allSavedAt ?? now, now) + Self.warningInterval
        guard allSavedAt - now <= Self.warningInterval * Self.savedWarnings else { return false }
        self.allSavedAt = allSavedAt
        return true
    }
}
