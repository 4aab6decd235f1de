import TokenVerification

/// One reading of both clocks: timers and throttles count by the one, the age of keys by the other.
///
/// The continuous clock cannot be set, so it is right for waiting; it means nothing after a restart, so the age of a
/// set that was saved, or that an operator reads about, is counted by the wall clock.
public struct Moment: Sendable, Hashable {
    public var instant: ContinuousClock.Instant
    public var date: NumericDate

    public init(instant: ContinuousClock.Instant, date: NumericDate) {
        self.instant = instant
        self.date = date
    }

    /// The same moment on both clocks, a while later.
    public func advanced(by duration: Duration) -> Moment {
        Moment(instant: instant.advanced(by: duration), date: date + duration)
    }
}
