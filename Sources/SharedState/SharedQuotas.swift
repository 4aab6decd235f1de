import Dispatch
import Files
import MetricFamilies
import Quotas
import Synchronization

/// Quotas that several processes share: a Redis or Valkey server counts them. No caller waits here.
///
/// One thread has the connection. Questions are sent without waiting for the answers to earlier ones; each has an
/// answer soon, at the latest when its time is over, and while there is no connection at once. No question is asked
/// twice: what became of the first is not known.
public final class SharedQuotas: Sendable {
    /// Questions that may wait to be sent or answered; one more is not asked.
    static let mostQuestions = 10_000

    private struct Inbox {
        var questions: [StoreQuestion] = []
        /// Questions without an answer, those included that the thread has.
        var count = 0
        var isStopped = false
        var figures = StoreFigures()
    }

    private let inbox = Mutex(Inbox())
    private let wakeup = Wakeup()
    private let timeout: Duration
    private let queue = DispatchQueue(label: "shared quotas")

    /// Connects, and stays connected until it is stopped.
    ///
    /// - Parameter report: called on the thread when the store begins to fail, with the cause, and when it answers
    ///   again, with nil.
    /// - Returns: nil if the secret is too short.
    public static func start(_ settings: StoreSettings, report: @escaping @Sendable (StoreFault?) -> Void)
        -> SharedQuotas?
    {
        guard let script = QuotaScript(secret: settings.secret) else { return nil }
        let quotas = SharedQuotas(settings)
        quotas.queue.async {
            StoreThread(settings, script, quotas, report).run()
        }
        return quotas
    }

    private init(_ settings: StoreSettings) {
        timeout = settings.timeout
    }

    /// Charges a request to all of the accounts or to none.
    ///
    /// - Parameter completion: called once, on another thread, on which it must not wait; nil: the store did not say.
    public func charge(_ charges: [QuotaCharge], _ completion: @escaping @Sendable (QuotaVerdict?) -> Void) {
        let question = StoreQuestion(charges: charges, deadline: .now + timeout, completion: completion)
        let isTaken = inbox.withLock { inbox in
            guard inbox.figures.isConnected, inbox.count < Self.mostQuestions else {
                inbox.figures.unanswered &+= 1
                return false
            }
            inbox.questions.append(question)
            inbox.count += 1
            return true
        }
        guard isTaken else { return completion(nil) }
        wakeup.signal()
    }

    /// What is known of the store.
    public var figures: StoreFigures { inbox.withLock { $0.figures } }

    public var isConnected: Bool { figures.isConnected }

    /// Ends the connection; what is still asked has no answer.
    public func stop() {
        inbox.withLock { $0.isStopped = true }
        wakeup.signal()
    }

    // MARK: The thread's side

    func connected(_ isConnected: Bool) {
        inbox.withLock { $0.figures.isConnected = isConnected }
    }

    var isStopped: Bool { inbox.withLock { $0.isStopped } }

    func takeQuestions() -> [StoreQuestion] {
        inbox.withLock { inbox in
            defer { inbox.questions = [] }
            return inbox.questions
        }
    }

    func answer(_ question: StoreQuestion, _ verdict: QuotaVerdict?) {
        inbox.withLock { inbox in
            inbox.count -= 1
            if verdict == nil { inbox.figures.unanswered &+= 1 } else { inbox.figures.answered &+= 1 }
        }
        question.completion(verdict)
    }

    var signal: Wakeup { wakeup }
}

/// What is known of a store, for metrics.
public struct StoreFigures: Sendable, Hashable {
    public var isConnected = false
    /// Questions that had an answer.
    public var answered: UInt64 = 0
    /// Questions that had none, or were not asked.
    public var unanswered: UInt64 = 0

    public init() {}

    /// - Parameter store: nil without `shared_state`.
    public static func families(of store: StoreFigures?) -> [MetricFamily] {
        [
            .gauge(
                "bearward_shared_state_up",
                "1 while the shared state is connected, else 0; absent without `shared_state`.",
                store.map { $0.isConnected ? 1 : 0 }),
            .counter(
                "bearward_shared_state_questions_total",
                "Requests for which the shared state was asked, by result: answered, or unanswered in time or at all.",
                store.map { .by("result", ["answered": $0.answered, "unanswered": $0.unanswered]) } ?? []),
        ]
    }
}

/// One request that is charged.
struct StoreQuestion: Sendable {
    let charges: [QuotaCharge]
    let deadline: ContinuousClock.Instant
    let completion: @Sendable (QuotaVerdict?) -> Void
}
