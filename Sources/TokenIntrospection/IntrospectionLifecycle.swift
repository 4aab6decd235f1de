import JOSE
import KeySets
import TokenVerification

/// The life of questions about opaque tokens: which to ask the issuer, who waits, what each waiting request is told.
///
/// A state machine without I/O and without a clock: each event returns the actions to carry out, in order. The rules:
/// * One question per token at a time; requests that come meanwhile wait for it.
/// * Questions under way and waiting slots are shared by client (``FairShares``). A question without a share waits for
///   its turn, and the turns go round by client: no client's questions keep those of another from being asked.
/// * An answer is used again for its lifetime and not a moment longer. Only answers push out answers, questions never.
/// * No request waits longer than ``IntrospectionConfiguration/deadline``, and each is answered exactly once.
/// * Beyond the limits on waiting and asking, and during a pause after failures, requests are answered at once.
/// * A question that fails is never an answer: the token is neither active nor inactive.
///
/// Tokens are known by their digests only. The caller, who carries out the actions, has the token of the
/// ``question(about:waiter:of:at:)`` that returned ``Action/ask(_:_:)``, or that returned ``Action/hold(_:_:)`` under
/// the same number before. Events with a `jitter` take a random number in 0..<1.
public struct IntrospectionLifecycle: ~Copyable, Sendable {
    public typealias WaiterID = UInt64
    public typealias QuestionNumber = UInt64

    public enum Action: Sendable {
        /// Ask the issuer about the token, and report the end under this number.
        case ask(QuestionNumber, TokenDigest)
        /// Hold the token until the question is asked or cancelled under this number.
        case hold(QuestionNumber, TokenDigest)
        /// Give up this question, asked or not; its end is no longer of interest.
        case cancelAsk(QuestionNumber)
        /// Readers may use this answer until then.
        case keep(TokenDigest, IntrospectionResponse, until: NumericDate)
        /// Readers may not use these answers any more.
        case forget([TokenDigest])
        case answer([WaiterID], IntrospectionAnswer)
        /// Call ``IntrospectionLifecycle/wakeUp(at:jitter:)`` then, instead of at any instant named before.
        case scheduleWakeUp(at: ContinuousClock.Instant)
    }

    struct Waiter {
        let id: WaiterID
        let client: ClientNetwork?
    }

    struct Question {
        let digest: TokenDigest
        /// The client of the first that waited; the question counts as its.
        let client: ClientNetwork?
        let deadline: ContinuousClock.Instant
        var isUnderWay = false
        var waiters: [Waiter]
    }

    enum Phase {
        case idle, running, stopped
    }

    /// Interval at which expired answers are removed.
    static let sweepInterval = Duration.seconds(1)

    public let configuration: IntrospectionConfiguration
    public private(set) var counters = IntrospectionCounters()

    private var phase = Phase.idle
    private var questions: [QuestionNumber: Question] = [:]
    private var numbers: [TokenDigest: QuestionNumber] = [:]
    /// The questions that are held until it is their turn.
    private var queue = QuestionQueue()
    /// Shares of the questions that may be under way.
    private var underWay: FairShares
    /// Shares of the requests that may wait.
    private var waiting: FairShares
    private var lastNumber: QuestionNumber = 0
    private var breaker = IntrospectionBreaker()
    private var active: RetainedAnswers
    private var inactive: RetainedAnswers
    private var nextSweep: ContinuousClock.Instant?
    private var wakeUpAt: ContinuousClock.Instant?

    public init(_ configuration: IntrospectionConfiguration) {
        self.configuration = configuration
        underWay = FairShares(limit: configuration.concurrentRequests)
        waiting = FairShares(limit: configuration.waitingLimit)
        active = RetainedAnswers(countLimit: configuration.cachedAnswers, byteLimit: configuration.cachedBytes)
        inactive = RetainedAnswers(
            countLimit: configuration.cachedInactiveAnswers, byteLimit: configuration.cachedBytes)
    }

    /// The pause after failures, and the trial after that.
    public var isPaused: Bool { breaker.isOpen }

    /// Time until the next question is allowed. Nil if one is allowed now.
    public func pause(at now: Moment) -> Duration? { breaker.pause(at: now.instant) }

    /// The answers that are kept.
    public var keptAnswers: Int { active.count + inactive.count }

    /// The questions that are under way.
    public var questionsUnderWay: Int { underWay.taken }

    /// The requests that wait, for a question under way or for its turn.
    public var requestsWaiting: Int { waiting.taken }
}

// MARK: Beginning and end

extension IntrospectionLifecycle {
    /// From here on questions are asked; before, they are told to retry.
    public mutating func start() {
        if phase == .idle { phase = .running }
    }

    /// Ends everything; requests that wait, or come later, are told to retry.
    ///
    /// Answers that readers may use stay with them until their time is over, for requests that began before.
    public mutating func stop() -> [Action] {
        guard phase != .stopped else { return [] }
        phase = .stopped
        let numbersLeft = questions.keys.sorted()
        let left = numbersLeft.flatMap { questions[$0]?.waiters ?? [] }
        questions = [:]
        numbers = [:]
        queue = QuestionQueue()
        underWay = FairShares(limit: configuration.concurrentRequests)
        waiting = FairShares(limit: configuration.waitingLimit)
        return numbersLeft.map(Action.cancelAsk) + answers(left, .unavailable(retryAfter: .seconds(1)))
    }
}

// MARK: Requests

extension IntrospectionLifecycle {
    /// Handles a request that has an opaque token.
    ///
    /// The actions contain its answer, or it waits under its ID until the actions of a later event do.
    ///
    /// - Parameter client: the network of the client. Nil if it is unknown.
    public mutating func question(
        about digest: TokenDigest, waiter: WaiterID, of client: ClientNetwork? = nil, at now: Moment
    ) -> [Action] {
        guard phase == .running else { return turnAway(waiter) }
        if let kept = active.response(for: digest, at: now.instant) ?? inactive.response(for: digest, at: now.instant) {
            counters.fromCache &+= 1
            return [.answer([waiter], .response(kept))]
        }
        guard waiting.hasRoom(for: client) else { return turnAway(waiter) }
        let waiter = Waiter(id: waiter, client: client)
        if let number = numbers[digest] { return join(number, waiter) }
        if let pause = breaker.pause(at: now.instant) { return turnAway(waiter.id, for: pause) }
        let number = begin(about: digest, waiter, at: now)
        guard underWay.hasRoom(for: client) else {
            queue.append(number, of: client)
            return settle([.hold(number, digest)], at: now)
        }
        return settle(ask(number), at: now)
    }

    /// A request went away; it gets no answer any more. A question that is under way continues: the answer is kept for
    /// the next request.
    public mutating func waiterLeft(_ waiter: WaiterID) -> [Action] {
        for (number, question) in questions {
            guard let index = question.waiters.firstIndex(where: { $0.id == waiter }) else { continue }
            questions[number]?.waiters.remove(at: index)
            waiting.giveBack(by: question.waiters[index].client)
            guard question.waiters.count == 1, !question.isUnderWay else { return [] }
            _ = take(number)
            return [.cancelAsk(number)]
        }
        return []
    }

    private mutating func turnAway(_ waiter: WaiterID, for pause: Duration = .seconds(1)) -> [Action] {
        counters.turnedAway &+= 1
        return [.answer([waiter], .unavailable(retryAfter: max(.seconds(1), pause)))]
    }

    private mutating func join(_ number: QuestionNumber, _ waiter: Waiter) -> [Action] {
        questions[number]?.waiters.append(waiter)
        waiting.take(for: waiter.client)
        counters.joined &+= 1
        return []
    }

    private mutating func begin(about digest: TokenDigest, _ waiter: Waiter, at now: Moment) -> QuestionNumber {
        lastNumber &+= 1
        let deadline = now.instant.advanced(by: configuration.deadline)
        questions[lastNumber] = Question(digest: digest, client: waiter.client, deadline: deadline, waiters: [waiter])
        numbers[digest] = lastNumber
        waiting.take(for: waiter.client)
        return lastNumber
    }
}

// MARK: Asking

extension IntrospectionLifecycle {
    private mutating func ask(_ number: QuestionNumber) -> [Action] {
        guard let question = questions[number] else { return [] }
        questions[number]?.isUnderWay = true
        underWay.take(for: question.client)
        counters.asked &+= 1
        breaker.began(number)
        return [.ask(number, question.digest)]
    }

    /// Asks the held questions whose turn it is; during a pause they are refused, like new ones.
    private mutating func askHeld(at now: Moment) -> [Action] {
        var actions: [Action] = []
        while !queue.isEmpty {
            if let pause = breaker.pause(at: now.instant) {
                return actions + queue.removeAll().flatMap { turnAway(held: $0, for: pause) }
            }
            guard let number = queue.next(within: underWay) else { break }
            actions += ask(number)
        }
        return actions
    }

    private mutating func turnAway(held number: QuestionNumber, for pause: Duration = .seconds(1)) -> [Action] {
        guard let question = take(number) else { return [] }
        counters.turnedAway &+= UInt64(question.waiters.count)
        return [.cancelAsk(number)] + answers(question.waiters, .unavailable(retryAfter: max(.seconds(1), pause)))
    }
}

// MARK: The end of a question

extension IntrospectionLifecycle {
    /// The issuer answered.
    public mutating func answered(_ number: QuestionNumber, with response: IntrospectionResponse, at now: Moment)
        -> [Action]
    {
        guard let question = take(number) else { return [] }
        counters.answered &+= 1
        breaker.succeeded(number)
        let actions = keep(response, for: question.digest, at: now)
        return settle(actions + answers(question.waiters, .response(response)) + askHeld(at: now), at: now)
    }

    /// There was no answer, or none of use.
    public mutating func failed(_ number: QuestionNumber, _ fault: IntrospectionFault, at now: Moment, jitter: Double)
        -> [Action]
    {
        guard let question = take(number) else { return [] }
        counters.failures &+= 1
        switch fault {
        case .issuer(let retryAfter): breaker.failed(number, retryAfter: retryAfter, at: now.instant, jitter: jitter)
        case .other: breaker.endedWithoutVerdict(number)
        }
        let retryAfter = max(.seconds(1), breaker.pause(at: now.instant) ?? .zero)
        return settle(answers(question.waiters, .unavailable(retryAfter: retryAfter)) + askHeld(at: now), at: now)
    }

    /// The instant named by the last ``Action/scheduleWakeUp(at:)`` has come.
    public mutating func wakeUp(at now: Moment, jitter: Double) -> [Action] {
        guard phase == .running else { return [] }
        wakeUpAt = nil
        let late = questions.filter { $0.value.deadline <= now.instant }
        let held = late.filter { !$0.value.isUnderWay }.keys.sorted().flatMap { turnAway(held: $0) }
        // That an answer takes long may be the token's doing: it says nothing about the issuer.
        let asked = late.filter(\.value.isUnderWay).keys.sorted()
        let ended = asked.flatMap { number in [.cancelAsk(number)] + failed(number, .other, at: now, jitter: jitter) }
        return settle(held + ended + sweep(at: now), at: now)
    }

    private mutating func take(_ number: QuestionNumber) -> Question? {
        guard let question = questions.removeValue(forKey: number) else { return nil }
        numbers.removeValue(forKey: question.digest)
        for waiter in question.waiters { waiting.giveBack(by: waiter.client) }
        if question.isUnderWay {
            underWay.giveBack(by: question.client)
        } else {
            queue.remove(number, of: question.client)
        }
        return question
    }

    private func answers(_ waiters: [Waiter], _ answer: IntrospectionAnswer) -> [Action] {
        waiters.isEmpty ? [] : [.answer(waiters.map(\.id), answer)]
    }
}

// MARK: What is kept

extension IntrospectionLifecycle {
    private mutating func keep(_ response: IntrospectionResponse, for digest: TokenDigest, at now: Moment) -> [Action] {
        // The token may have been of the other kind when it was last asked about.
        let replaced = [active.remove(digest), inactive.remove(digest)]
        let lifetime = response.lifetime(at: now.date, configuration)
        guard lifetime > .zero else { return replaced.contains(true) ? forget([digest]) : [] }
        let end = now.advanced(by: lifetime)
        let evicted =
            response.isActive
            ? active.keep(response, for: digest, until: end.instant)
            : inactive.keep(response, for: digest, until: end.instant)
        nextSweep = nextSweep ?? now.instant.advanced(by: Self.sweepInterval)
        return [.keep(digest, response, until: end.date)] + forget(evicted)
    }

    private mutating func sweep(at now: Moment) -> [Action] {
        guard let due = nextSweep, due <= now.instant else { return [] }
        let expired = active.removeExpired(at: now.instant) + inactive.removeExpired(at: now.instant)
        nextSweep = keptAnswers == 0 ? nil : now.instant.advanced(by: Self.sweepInterval)
        return forget(expired)
    }

    private func forget(_ digests: [TokenDigest]) -> [Action] {
        digests.isEmpty ? [] : [.forget(digests)]
    }
}

// MARK: The end of each event

extension IntrospectionLifecycle {
    /// Adds the next instant to wake up, unless an earlier one is due anyway: being woken too early costs less than a
    /// new timer each time.
    private mutating func settle(_ actions: [Action], at now: Moment) -> [Action] {
        let next = (questions.values.map(\.deadline) + [nextSweep].compactMap { $0 }).min()
        guard let next, wakeUpAt.map({ next < $0 }) ?? true else { return actions }
        wakeUpAt = next
        return actions + [.scheduleWakeUp(at: next)]
    }
}
