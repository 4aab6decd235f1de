/// Lines of a log that could not be written: how many, and what the operator should be told when.
///
/// No clock and no output. One warning when lines begin to be lost and one message when writing works again. However
/// often the two alternate, there is no more than one such pair a second, and a few saved up.
struct DroppedLines {
    /// Pairs that may follow one another at once.
    static let savedWarnings = 5
    /// How long it takes to save another one up.
    static let warningInterval: Duration = .seconds(1)

    /// Since the start.
    private(set) var total: UInt64 = 0
    /// Lines lost since the operator was last told how many there were.
    private var untold: UInt64 = 0
    private var isWarned = false
    /// When all saved pairs will be there again.
    private var allSavedAt: ContinuousClock.Instant?

    /// Counts lines that are lost.
    ///
    /// - Returns: whether to warn about it.
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
    /// - Returns: how many were lost, if that is to be told now.
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
