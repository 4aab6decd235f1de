import Quotas

/// The questions that were asked and have no answer, in their order: the store answers in it. No I/O, no clock.
///
/// A question whose time is over has its answer, and keeps its place for the store's.
struct PendingQuestions {
    private struct Pending {
        let charges: [QuotaCharge]
        let askedAt: ContinuousClock.Instant
        /// nil: its time was over.
        var question: StoreQuestion?
    }

    /// Those from `first` on.
    private var pending: [Pending] = []
    private var first = 0
    /// The first that may still be answered.
    private var firstOpen = 0

    mutating func append(_ question: StoreQuestion, at now: ContinuousClock.Instant) {
        pending.append(Pending(charges: question.charges, askedAt: now, question: question))
    }

    /// How long until the next one's time is over, or the oldest may have stalled; nil: nothing was asked.
    func wait(at now: ContinuousClock.Instant) -> Duration? {
        guard first < pending.count else { return nil }
        let open = firstOpen < pending.count ? pending[firstOpen].question?.deadline : nil
        return max(.zero, min(open.map { $0 - now } ?? .milliseconds(100), .milliseconds(100)))
    }

    /// What was asked first, and who waits for it, if anybody still does; nil: nothing was asked.
    mutating func takeFirst() -> (charges: [QuotaCharge], question: StoreQuestion?)? {
        guard first < pending.count else { return nil }
        let (charges, question) = (pending[first].charges, pending[first].question)
        first += 1
        firstOpen = max(firstOpen, first)
        compact()
        return (charges, question)
    }

    /// Those whose time is over; deadlines are in the order of the questions.
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

    /// Those that may still be answered.
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
