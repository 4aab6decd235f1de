import AuthorizationDoors
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// Answers: the upstream's, and our own.
extension RequestExchange {
    // MARK: The upstream's

    func relayInterim(_ head: ResponseHead) {
        relay.held.letGo()
        // HTTP/1.0 has none (RFC 9110 §15.2).
        guard request.head.version != .http10, !state.responseBegan else { return }
        carrier?.sendInterim(head)
    }

    func relayResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8]) {
        guard let carrier, state.isForwarding else { return }
        // A small answer comes whole, and then the clock is read once for both.
        let now = ends || head != nil ? EventLoopClock.now() : 0
        if ends {
            upstream = nil
            record.upstreamEndedAt = now
        }
        if let head {
            if asksByConnect, (200..<300).contains(head.status) { return refuse(.invalidResponse(.noProtocolSwitch)) }
            attemptAnswered(head.status, at: now)
            responseHeadReceived(head)
        }
        if !ends { arm(idleTimeout) }
        carrier.sendResponse(head, content, ends: ends, trailers: relayed(trailers))
        if ends { return responseSent() }
        // Its token may have been denied while the upstream made up its mind.
        if head != nil, relay.streaming?.kind == .events { judgeStream() }
    }

    /// Answers for an upstream whose response is not relayed.
    private func refuse(_ failure: UpstreamFailure) {
        attemptFailed(failure)
        record.upstreamError = failure.text
        reject(Rejection(failure.reason))
    }

    /// The trailers that are relayed: none that is known to mean something in a head, none that only we may state, and
    /// with bytes above 0x7F none that a head could not have either.
    func relayed(_ lines: [UInt8]) -> [UInt8] {
        guard !lines.isEmpty else { return [] }
        var relayed: [UInt8] = []
        for field in TrailerFields(lines)
        where field.known == nil && !configuration.authorizer.edits.removes(field.name) {
            guard configuration.limits.head.admitsObsText(of: field) else { continue }
            relayed += field.name
            relayed += ": ".utf8
            relayed += field.value
            relayed += "\r\n".utf8
        }
        return relayed
    }

    private func responseHeadReceived(_ head: ResponseHead) {
        if relay.streaming == nil, head.isEventStream {
            let end = configuration.authorizer.streamEnd(of: request, record.facts)
            relay.streaming = StreamingExchange(.events, end: end, marks: streamMarks)
        }
        record.status = head.status
        record.upstreamStatus = head.status
        relay.held.letGo()
        state.responseHeadReceived()
    }

    private func responseSent() {
        // Writing may have shown that the client is gone.
        let action = state.answerSent()
        guard action != .none else { return }
        perform(action)
        carrier?.exchangeEnded()
    }

    /// Ends a response whose time is over before its upstream does.
    func endResponse(_ reason: RejectionReason) {
        record.reason = reason
        abandonUpstream()
        record.upstreamEndedAt = EventLoopClock.now()
        let trailers = request.head.acceptsTrailers ? relay.streaming?.trailers(for: reason) ?? [] : []
        carrier?.sendResponse(nil, nil, ends: true, trailers: trailers)
        responseSent()
    }

    // MARK: Our own

    /// Answers the present request ourselves.
    func reject(_ rejection: Rejection, endsConnection: Bool = false) {
        guard state.isBusy else { return }
        record.reason = rejection.reason
        let isCall = relay.streaming?.kind == .grpc
        answer(
            isCall ? .grpcRejection(rejection) : .rejection(rejection),
            // At a door the message that is wrong is not the one that the connection carries.
            endsConnection: endsConnection || rejection.reason.endsConnection && !(hop.door != nil && record.hasHead))
    }

    /// Redirects the client to https.
    func send(to redirect: HTTPSRedirect) {
        guard let location = redirect.location(for: request.head) else {
            return reject(Rejection(.message(.badRequest)))
        }
        answer(.redirect(to: location), endsConnection: false)
    }

    func answer(_ answer: OwnAnswer, endsConnection: Bool) {
        let rest = restOfBody
        let answer = fitted(answer)
        guard let carrier, state.ownAnswerBegan() else { return }
        abandonUpstream()
        record.status = answer.status
        carrier.sendAnswer(
            relay.message == nil ? answer : .check(checkAnswer(answer)), rest: rest, endsConnection: endsConnection)
        perform(.finish)
        carrier.exchangeEnded()
    }

    /// What every response to the present request states.
    func answerTerms(_ fate: ConnectionFate) -> AnswerTerms {
        AnswerTerms(
            date: loop.clock.httpDate(at: EventLoopClock.now()), requestID: record.requestID.text, fate: fate,
            crossOrigin: crossOriginFields, rateLimit: request.rateLimit, form: hop.door?.kind.answerForm ?? .client)
    }

    /// What the answer to the present request states about pages of other origins.
    var crossOriginFields: CrossOriginFields? {
        // Most resources have no policy; the facts are not copied for that.
        guard let verdict = record.facts?.origin, let resource = record.facts?.resource else { return nil }
        return configuration.authorizer.crossOriginFields(verdict, of: resource, for: request.head)
    }

    /// How much of the body is still to come; nil if it is not known, or the client may decide not to send it.
    private var restOfBody: Int? {
        guard !state.requestEnded else { return 0 }
        guard [.question, .judging, .waiting, .queued].contains(state.state), !request.head.expectsContinue else {
            return nil
        }
        return carrier?.bodyRest
    }
}
