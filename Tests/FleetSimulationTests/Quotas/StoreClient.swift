import Quotas
import Synchronization

@testable import SharedState

/// A gateway's side of the shared quota store: pending requests and pauses between attempts are the gateway's own
/// `PendingQuestions` and `StoreBackoff`. The fleet does in virtual time what the gateway's thread does.
struct StoreClient {
    /// Results of store requests that the fleet has not yet handled.
    final class Ends: Sendable {
        private let ends = Mutex<[(id: Int, verdict: QuotaVerdict?)]>([])

        func append(_ id: Int, _ verdict: QuotaVerdict?) { ends.withLock { $0.append((id, verdict)) } }

        func take() -> [(id: Int, verdict: QuotaVerdict?)] {
            ends.withLock { ends in
                defer { ends = [] }
                return ends
            }
        }
    }

    let ends = Ends()
    private(set) var isConnected = true
    /// Number of the connection; distinguishes it from earlier ones.
    private(set) var connection = 0
    private var pending = PendingQuestions()
    private var backoff = StoreBackoff()
    private let timeout: Duration
    /// Longest wait of the gateway's thread for the connection and for each answer.
    static let patience = Duration.seconds(1)

    init(timeout: Duration) {
        self.timeout = timeout
    }

    /// True if the request was sent; otherwise it already has its answer.
    mutating func ask(_ charges: [QuotaCharge], id: Int, at now: Int64) -> Bool {
        let question = StoreQuestion(charges: charges, deadline: VirtualTime.instant(now) + timeout) { [ends] in
            ends.append(id, $0)
        }
        guard isConnected else {
            question.completion(nil)
            return false
        }
        pending.append(question, at: VirtualTime.instant(now))
        return true
    }

    /// The store's answer to the first question.
    mutating func take(_ verdict: QuotaVerdict) {
        guard let (_, question) = pending.takeFirst() else { return }
        backoff.succeeded()
        question?.completion(verdict)
    }

    /// Answers requests whose time is over. False if the store has been silent for too long and the connection is given
    /// up.
    mutating func check(at now: Int64) -> Bool {
        for question in pending.takeLate(at: VirtualTime.instant(now)) { question.completion(nil) }
        return !pending.isStalled(at: VirtualTime.instant(now), after: max(Self.patience, timeout))
    }

    /// Time of the next check. Nil if no request is pending.
    func nextCheck(at now: Int64) -> Int64? {
        pending.wait(at: VirtualTime.instant(now)).map { now + max(1, VirtualTime.nanoseconds($0)) }
    }

    /// - Returns: time until the next attempt to connect.
    mutating func fail() -> Int64 {
        isConnected = false
        for question in pending.takeAll() { question.completion(nil) }
        return VirtualTime.nanoseconds(backoff.failed())
    }

    mutating func connect() {
        isConnected = true
        connection += 1
    }
}
