import KeySets

/// The circuit breaker of introspection: after failures in a row nothing is asked for a while, then one question on
/// trial.
///
/// Only questions that were asked since the last change count. What was under way before it says nothing new. What
/// counts as a failure is for the caller to decide: nothing that a client can cause by its choice of a token.
struct IntrospectionBreaker: Sendable, Hashable {
    private enum State: Sendable, Hashable {
        case closed(failures: Int)
        case open(until: ContinuousClock.Instant)
        case onTrial(UInt64)
    }

    /// Failures in a row after which a pause begins.
    static let threshold = 5

    private var state = State.closed(failures: 0)
    /// Pauses since an answer last came.
    private var pauses = 0
    private var firstThatCounts: UInt64 = 0
    private let backoff = Backoff()

    /// Whether questions are held back, all or all but one.
    var isOpen: Bool {
        if case .closed = state { false } else { true }
    }

    /// Time until the next question is allowed. Nil if one is allowed now. A second while a question is on trial.
    func pause(at now: ContinuousClock.Instant) -> Duration? {
        switch state {
        case .closed: nil
        case .open(let end): end > now ? now.duration(to: end) : nil
        case .onTrial: .seconds(1)
        }
    }

    /// A question goes out; allowed only when there is no pause.
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

    /// A `Retry-After` of the issuer begins a pause at once, of that length, up to the longest pause.
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

    /// A question ended and says nothing about the issuer.
    ///
    /// After a trial questions go out again, and the next failure ends that. Otherwise a client whose tokens give no
    /// verdict could take every trial, and keep a pause going that was long over.
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
