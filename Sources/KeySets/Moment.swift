import TokenVerification

/// Simultaneous reading of both clocks: the continuous clock for timers and rate limits, the wall clock for the age of
/// keys.
///
/// The continuous clock cannot be set, so it is right for waiting. Its readings mean nothing after a restart. So the
/// wall clock measures the age of saved sets, and the ages shown to operators.
public struct Moment: Sendable, Hashable {
    public var instant: ContinuousClock.Instant
    public var date: NumericDate

    public init(instant: ContinuousClock.Instant, date: NumericDate) {
        self.instant = instant
        self.date = date
    }

    /// The moment that is later by this duration on both clocks.
    public func advanced(by duration: Duration) -> Moment {
        Moment(instant: instant.advanced(by: duration), date: date + duration)
    }
}
