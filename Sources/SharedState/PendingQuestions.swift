import Quotas

/// Questions sent to the store that have no answer yet, in order: the store answers in the same order. No I/O, no
/// clock.
///
/// A question whose deadline passed was answered locally, but keeps its position for the store's answer.
struct PendingQuestions {
    private struct Pending {
        let charges: [QuotaCharge]
        let askedAt: ContinuousClock.Instant
        /// The question. Nil if its deadline passed, so that it is already answered.
        var question: StoreQuestion?
    }

    /// Questions in order; those before `first` are done.
    private var pending: [Pending] = []
    private var first = 0
    /// Index of the first question whose deadline has not passed.
    private var firstOpen = 0

    mutating func append(_ question: StoreQuestion, at now: ContinuousClock.Instant) {
        pending.append(Pending(charges: question.charges, askedAt: now, question: question))
    }

    /// Time until the next deadline, or until the oldest question must be checked for a stall. Nil if no question is
    /// pending.
    func wait(at now: ContinuousClock.Instant) -> Duration? {
        guard first < pending.count else { return nil }
        let open = firstOpen < pending.count ? pending[firstOpen].question?.deadline : nil
        return max(.zero, min(open.map { $0 - now } ?? .milliseconds(100), .milliseconds(100)))
    }

    /// Removes the oldest question: its charges, and the question if someone still waits for the answer. Nil if none is
    /// pending.
    mutating func takeFirst() -> (charges: [QuotaCharge], question: StoreQuestion?)? {
        guard first < pending.count else { return nil }
        let (charges, question) = (pending[first].charges, pending[first].question)
        first += 1
        firstOpen = max(firstOpen, first)
        compact()
        return (charges, question)
    }

    /// Returns the questions whose deadline passed. Deadlines have the same order as questions.
    mutating func takeLate(at now: ContinuousClock.Instant) -> [StoreQuestion] {
        var late: [StoreQuestion] = []
        while firstOpen < pending.count, let question = pending[firstOpen].question, question.deadline <= now {
            late.append(question)
            pending[firstOpen].question = nil
            firstOpen += 1
        }
        return late
    }

    func isStalled(at now: ContinuousClock.Instant, after patience: Duration) -> Bool {
        first < pending.count && now - pending[first].askedAt > patience
    }

    /// Removes all questions, and returns those that are still unanswered.
    mutating func takeAll() -> [StoreQuestion] {
        let open = pending[first...].compactMap(\.question)
        self = PendingQuestions()
        return open
    }

    private mutating func compact() {
        guard first == pending.count || first > 1024 else { return }
        pending.removeFirst(first)
        firstOpen -= first
        first = 0
    }
}
