import JOSE
import KeySets
import TokenVerification

/// Lifecycle of questions about opaque tokens: which ones are asked, which requests wait, and the answer to each.
///
/// A state machine without I/O and without a clock: each event returns the actions to carry out, in order. The rules:
/// * One question per token runs at a time. Requests that come meanwhile wait for it.
/// * Slots for questions under way and for waiting requests are shared by client (``FairShares``). A question without a
///   slot waits for its turn. Clients take turns, so no client's questions block those of another.
/// * An answer is cached for exactly its lifetime. Only new answers push out cached answers; questions never do.
/// * No request waits longer than ``IntrospectionConfiguration/deadline``, and each is answered exactly once.
/// * Beyond the limits on waiting, and during a pause after failures, requests are answered at once.
/// * A failed question gives no answer about the token: it is neither active nor inactive.
///
/// The lifecycle knows tokens only by their digests. The caller carries out the actions and keeps the tokens: a token
/// belongs to the call of ``question(about:waiter:of:at:)`` that returned ``Action/ask(_:_:)``, or earlier
/// ``Action/hold(_:_:)`` with the same number. Events with a `jitter` take a random number in 0..<1.
public struct IntrospectionLifecycle: ~Copyable, Sendable {
    public typealias WaiterID = UInt64
    public typealias QuestionNumber = UInt64

    public enum Action: Sendable {
        /// Ask the issuer about the token, and report the result under this number.
        case ask(QuestionNumber, TokenDigest)
        /// Hold the token until the question is asked or cancelled under this number.
        case hold(QuestionNumber, TokenDigest)
        /// Cancel this question, asked or held; its result is no longer needed.
        case cancelAsk(QuestionNumber)
        /// Let readers use this answer until the given time.
        case keep(TokenDigest, IntrospectionResponse, until: NumericDate)
        /// Remove these answers, so that readers no longer use them.
        case forget([TokenDigest])
        case answer([WaiterID], IntrospectionAnswer)
        /// Call ``IntrospectionLifecycle/wakeUp(at:jitter:)`` at this instant, instead of at any instant scheduled
        /// before.
        case scheduleWakeUp(at: ContinuousClock.Instant)
    }

    struct Waiter {
        let id: WaiterID
        let client: ClientNetwork?
    }

    struct Question {
        let digest: TokenDigest
        /// Client of the first waiting request; the question takes one of this client's slots. Nil if the client is
        /// unknown.
        let client: ClientNetwork?
        let deadline: ContinuousClock.Instant
        var isUnderWay = false
        var waiters: [Waiter]
    }

    enum Phase {
        case idle, running, stopped
    }

    /// Interval between two removals of expired answers.
    static let sweepInterval = Duration.seconds(1)

    public let configuration: IntrospectionConfiguration
    public private(set) var counters = IntrospectionCounters()

    private var phase = Phase.idle
    private var questions: [QuestionNumber: Question] = [:]
    private var numbers: [TokenDigest: QuestionNumber] = [:]
    /// Questions that are held until it is their turn.
    private var queue = QuestionQueue()
    /// Slots for questions under way.
    private var underWay: FairShares
    /// Slots for waiting requests.
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

    /// True during a pause after failures, and during the trial after it.
    public var isPaused: Bool { breaker.isOpen }

    /// Time until the next question is allowed. Nil if one is allowed now.
    public func pause(at now: Moment) -> Duration? { breaker.pause(at: now.instant) }

    /// Number of cached answers.
    public var keptAnswers: Int { active.count + inactive.count }

    /// Number of questions under way.
    public var questionsUnderWay: Int { underWay.taken }

    /// Number of waiting requests, for questions under way and for held ones.
    public var requestsWaiting: Int { waiting.taken }
}

// MARK: Start and stop

extension IntrospectionLifecycle {
    /// Starts the lifecycle. Before, requests are answered with a request to retry.
    public mutating func start() {
        if phase == .idle { phase = .running }
    }

    /// Stops the lifecycle. Requests that wait, or come later, are answered with a request to retry.
    ///
    /// Cached answers stay usable for readers until they expire, for requests that began earlier.
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

    /// Removes a request that no longer waits. It gets no answer. A question under way continues, and its answer is
    /// cached for the next request.
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

    /// Asks the held questions whose turn it is. During a pause they are turned away, like new ones.
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

// MARK: End of a question

extension IntrospectionLifecycle {
    /// Handles an answer of the issuer.
    public mutating func answered(_ number: QuestionNumber, with response: IntrospectionResponse, at now: Moment)
        -> [Action]
    {
        guard let question = take(number) else { return [] }
        counters.answered &+= 1
        breaker.succeeded(number)
        let actions = keep(response, for: question.digest, at: now)
        return settle(actions + answers(question.waiters, .response(response)) + askHeld(at: now), at: now)
    }

    /// Handles a question without a usable answer.
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

    /// Handles the wake-up that the last ``Action/scheduleWakeUp(at:)`` scheduled.
    public mutating func wakeUp(at now: Moment, jitter: Double) -> [Action] {
        guard phase == .running else { return [] }
        wakeUpAt = nil
        let late = questions.filter { $0.value.deadline <= now.instant }
        let held = late.filter { !$0.value.isUnderWay }.keys.sorted().flatMap { turnAway(held: $0) }
        // A slow answer may be caused by the token, so it says nothing about the issuer.
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

// MARK: Cached answers

extension IntrospectionLifecycle {
    private mutating func keep(_ response: IntrospectionResponse, for digest: TokenDigest, at now: Moment) -> [Action] {
        // The earlier answer about the token may be of the other kind: active or not active.
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

// MARK: End of each event

extension IntrospectionLifecycle {
    /// Adds the next wake-up, unless an earlier one is already scheduled. Waking up too early is cheaper than a new
    /// timer for each event.
    private mutating func settle(_ actions: [Action], at now: Moment) -> [Action] {
        let next = (questions.values.map(\.deadline) + [nextSweep].compactMap { $0 }).min()
        guard let next, wakeUpAt.map({ next < $0 }) ?? true else { return actions }
        wakeUpAt = next
        return actions + [.scheduleWakeUp(at: next)]
    }
}
