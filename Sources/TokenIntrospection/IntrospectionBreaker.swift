import KeySets

/// Circuit breaker of introspection. After several consecutive failures no question is asked for a while, then one
/// question as a trial.
///
/// Only questions that were asked since the last change of state count. Results of earlier questions are ignored. The
/// caller decides which results are failures: never results that a client can cause by its choice of a token.
struct IntrospectionBreaker: Sendable, Hashable {
    private enum State: Sendable, Hashable {
        case closed(failures: Int)
        case open(until: ContinuousClock.Instant)
        case onTrial(UInt64)
    }

    /// Number of consecutive failures after which a pause begins.
    static let threshold = 5

    private var state = State.closed(failures: 0)
    /// Number of pauses since the last answer.
    private var pauses = 0
    private var firstThatCounts: UInt64 = 0
    private let backoff = Backoff()

    /// True if no question is allowed, or only one as a trial.
    var isOpen: Bool {
        if case .closed = state { false } else { true }
    }

    /// Time until the next question is allowed. Nil if one is allowed now. A second while a trial question is under
    /// way.
    func pause(at now: ContinuousClock.Instant) -> Duration? {
        switch state {
        case .closed: nil
        case .open(let end): end > now ? now.duration(to: end) : nil
        case .onTrial: .seconds(1)
        }
    }

    /// Records that a question is asked. Allowed only if there is no pause.
    mutating func began(_ number: UInt64) {
        if case .open = state { state = .onTrial(number) }
    }

    mutating func succeeded(_ number: UInt64) {
        switch state {
        case .closed where number >= firstThatCounts:
            state = .closed(failures: 0)
            pauses = 0
        case .onTrial(number):
            state = .closed(failures: 0)
            pauses = 0
            firstThatCounts = number
        default:
            break
        }
    }

    /// Records a failure. A `Retry-After` of the issuer begins a pause of at least that length at once, up to the
    /// longest pause.
    mutating func failed(_ number: UInt64, retryAfter: Duration?, at now: ContinuousClock.Instant, jitter: Double) {
        let asked = min(backoff.limit, max(.zero, retryAfter ?? .zero))
        switch state {
        case .closed(let failures) where number >= firstThatCounts:
            guard failures + 1 >= Self.threshold || asked > .zero else {
                return state = .closed(failures: failures + 1)
            }
            open(asked, at: now, jitter: jitter)
        case .onTrial(number):
            open(asked, at: now, jitter: jitter)
        default:
            break
        }
    }

    /// Records that a question ended without saying anything about the issuer.
    ///
    /// After a trial without a verdict, questions are allowed again, and the next failure begins a new pause. Otherwise
    /// a client whose tokens give no verdict could use up every trial, and prolong the pause after the issuer has
    /// recovered.
    mutating func endedWithoutVerdict(_ number: UInt64) {
        guard case .onTrial(number) = state else { return }
        state = .closed(failures: Self.threshold - 1)
        firstThatCounts = number
    }

    private mutating func open(_ asked: Duration, at now: ContinuousClock.Instant, jitter: Double) {
        pauses = min(pauses + 1, 1_000)
        state = .open(until: now.advanced(by: max(asked, backoff.delay(afterFailures: pauses, jitter: jitter))))
    }
}
