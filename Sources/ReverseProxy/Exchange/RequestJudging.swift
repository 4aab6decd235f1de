import AuthorizationDoors
import HTTPMessages
import KeySets
import KnownTokens
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import TokenVerification

/// The phase of a request until its verdict. A head, or a proxy's question about one, leads to an answer or to
/// forwarding.
///
/// It performs the actions of its ``JudgingState``. It has no access to upstreams, since a door needs none. Confined to
/// its event loop.
final class RequestJudging {
    @safe @exclusivity(unchecked) private var state = JudgingState()
    @safe @exclusivity(unchecked) private var pendingAnswer: Task<Void, Never>?
    /// The proxy's forward auth question at a door. Nil if a client sends the request.
    @safe @exclusivity(unchecked) private var question: DoorQuestion?
    /// Part of the body that is held for the verdict. Nil before the body is awaited.
    @safe @exclusivity(unchecked) private var body: HeldBody?

    var isBusy: Bool { state.state != .idle }
    var isForwarded: Bool { state.state == .forwarded }
    var requestEnded: Bool { state.requestEnded }
    var isAnswered: Bool { state.isAnswered }
    /// True if content after the head is consumed now.
    var isReading: Bool { state.state == .question || state.state == .body }

    var reading: RequestReading {
        switch state.state {
        case .idle, .head: .head
        case .question: .question
        case .body: .body
        case .judging, .waiting, .forwarded: .held
        }
    }

    var asksByMessage: Bool { question?.message != nil }
    var keepsConnection: Bool? { question?.keepsConnection }
    var statedClient: ClientAddress? { question?.statedClient }

    private func perform(_ action: JudgingState.Action, for exchange: RequestExchange) {
        switch action {
        case .none: break
        case .judge: judge(exchange, at: EventLoopClock.now())
        case .answer(.gateway(.overloaded)): exchange.reject(Rejection(.gateway(.overloaded), retryAfter: .seconds(1)))
        case .answer(let reason): exchange.reject(Rejection(reason))
        case .cutOff:
            exchange.record.isCutOff = true
            exchange.finish()
        case .unexpected: exchange.unexpected()
        }
    }

    /// Counts an event that the state did not expect. For events that lead to no action.
    @inline(__always)
    private func note(_ action: JudgingState.Action, for exchange: RequestExchange) {
        if case .unexpected = action { exchange.unexpected() }
    }

    // MARK: The head

    func headBegan(of exchange: RequestExchange) {
        (question, body) = (nil, nil)
        note(state.headBegan(), for: exchange)
    }

    func headReceived(isWhole: Bool, of exchange: RequestExchange) {
        let framing = exchange.request.head.framing
        let action = state.headReceived(hasBody: framing != .none && framing != .length(0))
        if let redirect = exchange.hop.redirect { return exchange.send(to: redirect) }
        if let door = exchange.hop.door {
            if door.kind.asksByMessage { return awaitQuestion(at: door, exchange) }
            question = DoorQuestion(asking: exchange.request.head)
            guard exchange.read(at: door) else { return }
        }
        // The clock was read when it began.
        if isWhole, action == .judge {
            judge(exchange, at: exchange.record.startedAt)
        } else {
            perform(action, for: exchange)
        }
    }

    // MARK: The verdict

    private func judge(_ exchange: RequestExchange, at now: Int64) {
        let (loop, configuration) = (exchange.loop, exchange.configuration)
        exchange.beginTrace(at: now)
        guard !loop.gateway.memory.isShort else { return exchange.refuseForMemory() }
        // A request whose body was awaited was counted at its first verdict.
        let isFirst = body == nil
        exchange.request.maySpendVerification = !isFirst || !exchange.isExhausted(at: now)
        exchange.request.counting =
            configuration.authorizer.countsRequests && isFirst ? exchange.counting(at: now) : nil
        switch configuration.authorizer.authorize(&exchange.request, at: loop.clock.date(at: now)) {
        case .forward(let forwarding, let facts):
            if isFirst, let would = facts.would {
                if exchange.isOneUnaskedTooMany(facts, at: now) { return judgeAsUnknown(exchange, at: now) }
                exchange.noteFailure(would, facts, at: now)
            }
            let wasKnown = facts.cache == .hit
            exchange.record.facts = consume facts
            // A cached token is judged so fast that the clock need not be read again.
            permit(forwarding, exchange, at: wasKnown ? now : EventLoopClock.now())
        case .reject(let rejection, let facts):
            if exchange.isOneUnaskedTooMany(facts, at: now) { return judgeAsUnknown(exchange, at: now) }
            exchange.record.facts = facts
            exchange.noteFailure(rejection.reason, facts, at: now)
            if facts.stage == .quotas, rejection.reason == .gateway(.overloaded) { loop.gateway.met(.quotaKeys) }
            exchange.judgeShadow(rejection.reason)
            exchange.reject(rejection)
        case .publish(let document, let facts):
            exchange.record.facts = facts
            guard !exchange.asksByConnect else { return exchange.reject(Rejection(.message(.methodNotAllowed))) }
            exchange.judgeShadow(nil)
            exchange.answer(.document(document), endsConnection: false)
        case .preflight(let preflight, let facts):
            exchange.record.facts = facts
            exchange.record.reason = .preflight(preflight.verdict)
            exchange.judgeShadow(.preflight(preflight.verdict))
            exchange.answer(.preflight(preflight), endsConnection: false)
        case .wait(.quotas(let wait), let facts):
            exchange.record.facts = facts
            awaitQuotas(wait, exchange)
        case .wait(.token(let wait), let facts):
            exchange.record.facts = facts
            awaitAnswer(wait, exchange)
        }
    }

    private func permit(_ forwarding: consuming Forwarding, _ exchange: RequestExchange, at now: Int64) {
        let number = exchange.record.number
        if let door = exchange.hop.door {
            exchange.judgeShadow(nil)
            return exchange.permit(forwarding, at: door, statedOf: statedClient)
        }
        exchange.takeBounds()
        if body == nil, let limit = exchange.configuration.judgedBody { return awaitBody(atMost: limit, exchange) }
        exchange.forward(forwarding, body ?? HeldBody(), at: now)
        exchange.judgeShadow(ofForwarded: number)
    }

    func forwardingBegan(of exchange: RequestExchange) {
        // The forwarding has taken it over.
        body = nil
        note(state.permitted(), for: exchange)
    }

    /// Judges the request as if its issuer had been asked and did not know its key.
    private func judgeAsUnknown(_ exchange: RequestExchange, at now: Int64) {
        exchange.request.answer = .keys(.confirmedUnknown)
        judge(exchange, at: now)
    }

    // MARK: Waiting for keys, introspection or the quota store

    private func awaitAnswer(_ wait: TokenWait, _ exchange: RequestExchange) {
        let (configuration, gateway) = (exchange.configuration, exchange.loop.gateway)
        guard exchange.request.answer == nil else {
            return exchange.reject(Rejection(wait.unavailableReason, retryAfter: .seconds(1)))
        }
        let client = wait.isForIntrospection ? exchange.client.address?.client : nil
        let waiter: KeyWaiter =
            wait.isForIntrospection ? .introspection(client) : wait.isForUnknownRealm ? .unknownRealm : .keys
        guard gateway.enterWait(waiter, limit: configuration.limits.waitingForKeys) else {
            gateway.met(.waitingForKeys)
            // Judged as if the wait had failed, because the rule may be in observe mode.
            exchange.request.answer = wait.crowdedOut
            return judge(exchange, at: EventLoopClock.now())
        }
        note(state.waitBegan(), for: exchange)
        let wait = client.map { wait.of(clientAt: $0.high, $0.low) } ?? wait
        let number = exchange.record.number
        let bound = NIOLoopBound((self, exchange), eventLoop: exchange.loop.eventLoop)
        pendingAnswer = Task {
            let answer = await configuration.answerWait(wait)
            gateway.leaveWait(waiter)
            bound.eventLoop.execute {
                let (judging, exchange) = bound.value
                judging.answered(to: number, exchange) { $0.answer = answer }
            }
        }
    }

    /// Asks the shared quota store. Its queue is bounded, and so is the wait.
    private func awaitQuotas(_ wait: QuotaWait, _ exchange: RequestExchange) {
        guard exchange.request.quotaAnswer == nil, let ask = exchange.configuration.askSharedQuotas else {
            return exchange.reject(Rejection(.gateway(.quotaUnavailable), retryAfter: .seconds(1)))
        }
        note(state.waitBegan(), for: exchange)
        let number = exchange.record.number
        let bound = NIOLoopBound((self, exchange), eventLoop: exchange.loop.eventLoop)
        ask(wait) { answer in
            bound.eventLoop.execute {
                let (judging, exchange) = bound.value
                judging.answered(to: number, exchange) { $0.quotaAnswer = answer }
            }
        }
    }

    private func answered(
        to number: UInt64, _ exchange: RequestExchange, _ note: (inout AuthorizationRequest) -> Void
    ) {
        guard number == exchange.record.number else { return }
        let action = state.answerReceived()
        if action == .judge {
            pendingAnswer = nil
            note(&exchange.request)
        }
        perform(action, for: exchange)
        if action == .judge { exchange.carrier?.process() }
    }

    // MARK: Waiting for the body

    /// Holds the whole body, and then judges the request again. A body over the limit gets 413. The body is never
    /// dropped in part, so if the memory for held bodies is exhausted the request is refused.
    private func awaitBody(atMost limit: Int, _ exchange: RequestExchange) {
        if let rest = exchange.carrier?.bodyRest, rest > min(limit, exchange.bodyLimit ?? .max) {
            return exchange.reject(Rejection(.message(.bodyTooLarge)))
        }
        body = HeldBody(for: .verdict)
        note(state.bodyAwaited(), for: exchange)
        guard !state.requestEnded else { return perform(state.bodyReceived(), for: exchange) }
        exchange.arm(exchange.configuration.deadlines.bodyIdle)
        if exchange.request.head.expectsContinue, exchange.carrier?.bodyByteCount == 0 {
            exchange.carrier?.sendInterim(ResponseHead.continue)
        }
        exchange.carrier?.process()
    }

    /// Takes received parts of the body, or of a proxy's message. False if the request awaits neither.
    func receiveBody(of exchange: RequestExchange) -> Bool {
        guard isReading, let carrier = exchange.carrier else { return false }
        do {
            let part = try carrier.takeBody()
            if state.state == .body { hold(part, exchange) } else { receiveQuestion(part, exchange) }
        } catch {
            carrier.discardInput()
            exchange.reject(Rejection(error.reason))
        }
        return true
    }

    private func hold(_ part: BodyPart, _ exchange: RequestExchange) {
        let (loop, configuration) = (exchange.loop, exchange.configuration)
        guard !loop.gateway.memory.isShort else { return exchange.refuseForMemory() }
        let limits = HeldBody.Limits(each: configuration.judgedBody ?? 0, total: configuration.limits.replayTotal)
        loop.tookMemory(part.byteCount)
        switch body?.keep(part, limits: limits, budget: loop.gateway.heldBodies) {
        case .tooLarge: return exchange.reject(Rejection(.message(.bodyTooLarge)))
        case .budgetSpent:
            loop.gateway.met(.replayTotal)
            return exchange.reject(Rejection(.gateway(.overloaded), retryAfter: .seconds(1)))
        case nil: break
        }
        guard part.isLast else { return exchange.arm(configuration.deadlines.bodyIdle) }
        exchange.disarm()
        perform(state.bodyReceived(), for: exchange)
    }

    // MARK: Questions that are messages

    /// Begins to receive a proxy's question: the content of its gRPC call.
    private func awaitQuestion(at door: Door, _ exchange: RequestExchange) {
        guard door.admits(exchange.hop.address.peerAddress) else {
            return exchange.reject(Rejection(.door(.untrusted)), endsConnection: true)
        }
        guard exchange.request.head.isCheckCall else { return exchange.reject(Rejection(.door(.requestInvalid))) }
        // The call is the proxy's own, and does not determine the form of the request's answer.
        exchange.streaming = nil
        question = DoorQuestion(limits: exchange.configuration.limits.head)
        note(state.questionBegan(), for: exchange)
        exchange.arm(exchange.configuration.deadlines.head)
        exchange.carrier?.process()
    }

    /// Appends a part of a question, and judges the request once it is complete.
    private func receiveQuestion(_ part: BodyPart, _ exchange: RequestExchange) {
        guard question?.append(part) == true else { return exchange.reject(Rejection(.message(.headTooLarge))) }
        guard part.isLast else { return }
        exchange.disarm()
        let action = state.questionEnded()
        do throws(Rejection) {
            try question?.read(into: exchange)
        } catch {
            if case .message = error.reason { exchange.record.headFault = exchange.loop.statedFault }
            return exchange.reject(error)
        }
        exchange.request.isAtDoor = true
        if exchange.client.address == nil { exchange.noteMissingAddress() }
        perform(action, for: exchange)
    }

    // MARK: Ends

    func inputEnded(isEmpty: Bool, of exchange: RequestExchange) {
        perform(state.inputEnded(isEmpty: isEmpty), for: exchange)
    }

    func deadlinePassed(of exchange: RequestExchange) {
        let action = state.deadlinePassed()
        // Nothing was read for lack of memory, so the client was not late.
        guard action == .answer(.message(.requestTimeout)), exchange.loop.memoryWasShort else {
            return perform(action, for: exchange)
        }
        exchange.loop.gateway.met(.memory)
        perform(.answer(.gateway(.overloaded)), for: exchange)
    }

    func streamExpired(_ reason: RejectionReason, of exchange: RequestExchange) {
        let action = state.streamExpired(reason)
        // It may wait for keys longer than its client waits.
        if case .answer = action {
            pendingAnswer?.cancel()
            exchange.noteStreamEnd(reason)
        }
        perform(action, for: exchange)
    }

    /// Called when the gateway answers the request itself.
    func answered(requestEnded: Bool, of exchange: RequestExchange) {
        note(isForwarded ? state.forwardingEnded(requestEnded: requestEnded) : state.answered(), for: exchange)
    }

    func forwardingEnded(requestEnded: Bool, of exchange: RequestExchange) {
        note(state.forwardingEnded(requestEnded: requestEnded), for: exchange)
    }

    func clientGone(of exchange: RequestExchange) {
        pendingAnswer?.cancel()
        pendingAnswer = nil
        perform(state.clientGone(), for: exchange)
    }

    /// Releases the question and the held body.
    func letGo() {
        question?.letGo()
        body = nil
    }
}

@available(*, unavailable)
extension RequestJudging: Sendable {}

/// Interpretation of a client's next bytes.
enum RequestReading: Hashable { case head, question, body, tunnel, held }
