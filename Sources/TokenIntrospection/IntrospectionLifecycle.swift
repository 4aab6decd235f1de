import JOSE
import KeySets
import TokenVerification

/// The life of questions about opaque tokens: which to ask the issuer, who waits, what each waiting request is told.
///
/// A state machine without I/O and without a clock: each event returns the actions to carry out, in order. The rules:
/// * One question per token at a time; whoever comes meanwhile waits for it.
/// * An answer is used again for its lifetime and not a moment longer. Only answers push out answers, questions never.
/// * Nobody waits longer than ``IntrospectionConfiguration/deadline``, and each request that waits is answered exactly once.
/// * Beyond the limits on waiting and asking, and during a pause after failures, requests are answered at once.
/// * A question that fails is never an answer: the token is neither active nor inactive.
///
/// Tokens are known by their digests only; whoever carries out ``Action/ask(_:_:)`` has the token of the event that returned it. No other
/// event than ``question(about:waiter:at:)`` returns one. Events with a `jitter` take a random number in 0..<1.
public struct IntrospectionLifecycle: ~Copyable, Sendable {
    public typealias WaiterID = UInt64
    public typealias QuestionNumber = UInt64

    public enum Action: Sendable {
        /// Ask the issuer about the token, and report the end under this number.
        case ask(QuestionNumber, TokenDigest)
        /// Give up this question; its end is no longer of interest.
        case cancelAsk(QuestionNumber)
        /// Readers may use this answer until then.
        case keep(TokenDigest, IntrospectionResponse, until: NumericDate)
        /// Readers may not use these answers any more.
        case forget([TokenDigest])
        case answer([WaiterID], IntrospectionAnswer)
        /// Call ``IntrospectionLifecycle/wakeUp(at:jitter:)`` then, instead of at any instant named before.
        case scheduleWakeUp(at: ContinuousClock.Instant)
    }

    struct Question {
        let digest: TokenDigest
        let deadline: ContinuousClock.Instant
        var waiters: [WaiterID]
    }

    enum Phase {
        case idle, running, stopped
    }

    /// How often answers whose time is over are looked for.
    static let sweepInterval = Duration.seconds(1)

    public let configuration: IntrospectionConfiguration
    public private(set) var counters = IntrospectionCounters()

    private var phase = Phase.idle
    private var questions: [QuestionNumber: Question] = [:]
    private var numbers: [TokenDigest: QuestionNumber] = [:]
    private var waiting = 0
    private var lastNumber: QuestionNumber = 0
    private var breaker = IntrospectionBreaker()
    private var active: RetainedAnswers
    private var inactive: RetainedAnswers
    private var nextSweep: ContinuousClock.Instant?
    private var wakeUpAt: ContinuousClock.Instant?

    public init(_ configuration: IntrospectionConfiguration) {
        self.configuration = configuration
        active = RetainedAnswers(countLimit: configuration.cachedAnswers, byteLimit: configuration.cachedBytes)
        inactive = RetainedAnswers(countLimit: configuration.cachedInactiveAnswers, byteLimit: configuration.cachedBytes)
    }

    /// Whether the issuer is left alone after failures, or is on trial after that.
    public var isPaused: Bool { breaker.isOpen }

    /// How long nothing will be asked; nil: a question may go out now.
    public func pause(at now: Moment) -> Duration? { breaker.pause(at: now.instant) }

    /// The answers that are kept.
    public var keptAnswers: Int { active.count + inactive.count }

    /// The questions that are under way.
    public var questionsUnderWay: Int { questions.count }
}

// MARK: Beginning and end

extension IntrospectionLifecycle {
    /// From here on questions are asked; before, they are told to come back.
    public mutating func start() {
        if phase == .idle { phase = .running }
    }

    /// Ends everything; requests that wait, or come later, are told to come back.
    ///
    /// Answers that readers may use stay with them until their time is over, for requests that began before.
    public mutating func stop() -> [Action] {
        guard phase != .stopped else { return [] }
        phase = .stopped
        let numbersUnderWay = questions.keys.sorted()
        let left = numbersUnderWay.flatMap { questions[$0]?.waiters ?? [] }
        questions = [:]
        numbers = [:]
        waiting = 0
        return numbersUnderWay.map(Action.cancelAsk) + answers(left, .unavailable(retryAfter: .seconds(1)))
    }
}

// MARK: Requests

extension IntrospectionLifecycle {
    /// A request needs to know what a token is. The actions hold its answer, or it waits under its ID until a later event's actions do.
    public mutating func question(about digest: TokenDigest, waiter: WaiterID, at now: Moment) -> [Action] {
        guard phase == .running else { return turnAway(waiter) }
        if let kept = active.response(for: digest, at: now.instant) ?? inactive.response(for: digest, at: now.instant) {
            counters.fromCache &+= 1
            return [.answer([waiter], .response(kept))]
        }
        guard waiting < configuration.waitingLimit else { return turnAway(waiter) }
        if let number = numbers[digest] { return join(number, waiter) }
        if let pause = breaker.pause(at: now.instant) { return turnAway(waiter, for: pause) }
        guard questions.count < configuration.concurrentRequests else { return turnAway(waiter) }
        return settle([ask(about: digest, waiter, at: now)], at: now)
    }

    /// A request went away; it gets no answer any more. Its question goes on: the answer is kept for the next request.
    public mutating func waiterLeft(_ waiter: WaiterID) {
        for (number, question) in questions {
            guard let place = question.waiters.firstIndex(of: waiter) else { continue }
            questions[number]?.waiters.remove(at: place)
            waiting -= 1
            return
        }
    }

    private mutating func turnAway(_ waiter: WaiterID, for pause: Duration = .seconds(1)) -> [Action] {
        counters.turnedAway &+= 1
        return [.answer([waiter], .unavailable(retryAfter: max(.seconds(1), pause)))]
    }

    private mutating func join(_ number: QuestionNumber, _ waiter: WaiterID) -> [Action] {
        questions[number]?.waiters.append(waiter)
        waiting += 1
        counters.joined &+= 1
        return []
    }

    private mutating func ask(about digest: TokenDigest, _ waiter: WaiterID, at now: Moment) -> Action {
        lastNumber &+= 1
        let deadline = now.instant.advanced(by: configuration.deadline)
        questions[lastNumber] = Question(digest: digest, deadline: deadline, waiters: [waiter])
        numbers[digest] = lastNumber
        waiting += 1
        counters.asked &+= 1
        breaker.began(lastNumber)
        return .ask(lastNumber, digest)
    }
}

// MARK: The end of a question

extension IntrospectionLifecycle {
    /// The issuer answered.
    public mutating func answered(_ number: QuestionNumber, with response: IntrospectionResponse, at now: Moment) -> [Action] {
        guard let question = take(number) else { return [] }
        counters.answered &+= 1
        breaker.succeeded(number)
        let actions = keep(response, for: question.digest, at: now)
        return settle(actions + answers(question.waiters, .response(response)), at: now)
    }

    /// There was no answer, or none of use.
    public mutating func failed(_ number: QuestionNumber, _ fault: IntrospectionFault, at now: Moment, jitter: Double) -> [Action] {
        guard let question = take(number) else { return [] }
        counters.failures &+= 1
        switch fault {
        case .issuer(let retryAfter): breaker.failed(number, retryAfter: retryAfter, at: now.instant, jitter: jitter)
        case .other: breaker.endedWithoutVerdict(number, at: now.instant)
        }
        let retryAfter = max(.seconds(1), breaker.pause(at: now.instant) ?? .zero)
        return settle(answers(question.waiters, .unavailable(retryAfter: retryAfter)), at: now)
    }

    /// The instant named by the last ``Action/scheduleWakeUp(at:)`` has come.
    public mutating func wakeUp(at now: Moment, jitter: Double) -> [Action] {
        guard phase == .running else { return [] }
        wakeUpAt = nil
        let late = questions.filter { $0.value.deadline <= now.instant }.keys.sorted()
        let ended = late.flatMap { number in [.cancelAsk(number)] + failed(number, .issuer(), at: now, jitter: jitter) }
        return settle(ended + sweep(at: now), at: now)
    }

    private mutating func take(_ number: QuestionNumber) -> Question? {
        guard let question = questions.removeValue(forKey: number) else { return nil }
        numbers.removeValue(forKey: question.digest)
        waiting -= question.waiters.count
        return question
    }

    private func answers(_ waiters: [WaiterID], _ answer: IntrospectionAnswer) -> [Action] {
        waiters.isEmpty ? [] : [.answer(waiters, answer)]
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
            ? active.keep(response, for: digest, until: end.instant) : inactive.keep(response, for: digest, until: end.instant)
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
    /// Adds the next instant to wake up, unless an earlier one is due anyway: being woken too early costs less than a new timer each time.
    private mutating func settle(_ actions: [Action], at now: Moment) -> [Action] {
        let next = (questions.values.map(\.deadline) + [nextSweep].compactMap { $0 }).min()
        guard let next, wakeUpAt.map({ next < $0 }) ?? true else { return actions }
        wakeUpAt = next
        return actions + [.scheduleWakeUp(at: next)]
    }
}
