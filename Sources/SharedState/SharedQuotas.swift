import Dispatch
import Files
import MetricFamilies
import Quotas
import Synchronization

/// Quotas that several processes share, counted by a Redis or Valkey server. No caller blocks here.
///
/// One thread owns the connection. Questions are sent without waiting for earlier answers. Each is answered soon: at
/// the latest at its deadline, and at once while there is no connection. No question is sent twice, because it is
/// unknown whether the first was executed.
public final class SharedQuotas: Sendable {
    /// Most questions that may wait to be sent or answered; any more are answered with nil at once.
    static let mostQuestions = 10_000

    private struct Inbox {
        var questions: [StoreQuestion] = []
        /// Number of unanswered questions, including those that the thread has taken.
        var count = 0
        var isStopped = false
        var figures = StoreFigures()
    }

    private let inbox = Mutex(Inbox())
    private let wakeup = Wakeup()
    private let timeout: Duration
    private let queue = DispatchQueue(label: "shared quotas")

    /// Connects to the store, and stays connected until it is stopped.
    ///
    /// - Parameter report: called on the thread: with the cause when the store begins to fail, and with nil when it
    ///   answers again.
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
    /// - Parameter completion: called once, on another thread, which it must not block. Its verdict is nil if the store
    ///   did not answer.
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

    /// State and counters of the store connection.
    public var figures: StoreFigures { inbox.withLock { $0.figures } }

    public var isConnected: Bool { figures.isConnected }

    /// Closes the connection. Pending questions are answered with nil.
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

/// State and counters of a store connection, for metrics.
public struct StoreFigures: Sendable, Hashable {
    public var isConnected = false
    /// Questions that the store answered.
    public var answered: UInt64 = 0
    /// Questions that the store did not answer in time, or that were not sent.
    public var unanswered: UInt64 = 0

    public init() {}

    /// - Parameter store: figures of the store. Nil without `shared_state`.
    public static func families(of store: StoreFigures?) -> [MetricFamily] {
        [
            .gauge(
                "bearward_shared_state_up",
                "1 while the shared state is connected, else 0; absent without `shared_state`.",
                store.map { $0.isConnected ? 1 : 0 }),
            .counter(
                "bearward_shared_state_questions_total",
                "Requests for which the shared state was queried, by result: answered, or unanswered (late, failed or not sent).",
                store.map { .by("result", ["answered": $0.answered, "unanswered": $0.unanswered]) } ?? []),
        ]
    }
}

/// One request to be charged by the store.
struct StoreQuestion: Sendable {
    let charges: [QuotaCharge]
    let deadline: ContinuousClock.Instant
    let completion: @Sendable (QuotaVerdict?) -> Void
}
