import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import UpstreamFleets

/// The upstream's response, and the time that it may take.
extension ForwardedRequest {
    /// Whether it takes more of the response without piling up.
    var isWritable: Bool { exchange.isWritable }

    func relayInterim(_ head: ResponseHead) {
        held.letGo()
        // HTTP/1.0 has none (RFC 9110 §15.2).
        guard exchange.request.head.version != .http10, !responseBegan else { return }
        exchange.carrier?.sendInterim(head)
    }

    func relayResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8]) {
        guard let carrier = exchange.carrier, state.state == .sending || state.state == .answering else { return }
        // A small answer comes whole, and then the clock is read once for both.
        let now = ends || head != nil ? EventLoopClock.now() : 0
        if ends {
            upstream = nil
            exchange.record.upstreamEndedAt = now
        }
        if let head {
            if exchange.asksByConnect, (200..<300).contains(head.status) {
                return refuse(.invalidResponse(.noProtocolSwitch))
            }
            attempts.answered(head.status, at: now, in: loop.attempts, fleetRequest)
            responseHeadReceived(head)
        }
        if !ends { exchange.arm(exchange.idleTimeout) }
        carrier.sendResponse(head, content, ends: ends, trailers: relayed(trailers))
        if ends { return responseSent() }
        // Its token may have been denied while the upstream made up its mind.
        if head != nil, exchange.streaming?.kind == .events { exchange.judgeStream() }
    }

    private func responseHeadReceived(_ head: ResponseHead) {
        if exchange.streaming == nil, head.isEventStream { exchange.beginStream(.events) }
        exchange.record.status = head.status
        exchange.record.upstreamStatus = head.status
        held.letGo()
        note(state.responseHeadReceived())
    }

    /// Who asked, as far as that counts for the fleet.
    func fleetRequest(_ status: Int) -> FleetRequest {
        let configuration = exchange.configuration
        // Not the facts, which would be copied.
        let row = configuration.labels.row(exchange.record.facts?.rule, of: exchange.record.facts?.resource)
        let rule = configuration.generation &<< 32 | row
        // Who the client is counts for a failure alone, and takes a while to find out.
        guard status >= 500,
            let client = exchange.hop.address.client(of: exchange.request.head, configuration).address
        else { return FleetRequest(rule: rule, client: ClientKey(high: 0, low: 0)) }
        return FleetRequest(rule: rule, client: ClientKey(high: client.high, low: client.low))
    }

    /// Answers for an upstream whose response is not relayed.
    private func refuse(_ failure: UpstreamFailure) {
        attempts.failed(failure, in: loop.attempts)
        exchange.record.upstreamError = failure.text
        exchange.reject(Rejection(failure.reason))
    }

    /// The trailers that are relayed: none that is known to mean something in a head, none that only we may state, and
    /// with bytes above 0x7F none that a head could not have either.
    func relayed(_ lines: [UInt8]) -> [UInt8] {
        guard !lines.isEmpty else { return [] }
        let configuration = exchange.configuration
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

    private func responseSent() {
        // Writing may have shown that the client is gone.
        let carrier = exchange.carrier
        let action = state.responseSent()
        perform(action)
        if action == .finish { carrier?.exchangeEnded() }
    }

    /// Ends a response whose time is over before its upstream does.
    func endResponse(_ reason: RejectionReason) {
        exchange.record.reason = reason
        abandonUpstream()
        exchange.record.upstreamEndedAt = EventLoopClock.now()
        let trailers = exchange.request.head.acceptsTrailers ? exchange.streaming?.trailers(for: reason) ?? [] : []
        exchange.carrier?.sendResponse(nil, nil, ends: true, trailers: trailers)
        responseSent()
    }

    /// The client takes more of the answer.
    func clientBecameWritable() {
        guard let upstream else { return }
        if responseBegan { exchange.arm(exchange.idleTimeout) }
        upstream.resumeReading()
    }

    func resumeReading() { upstream?.resumeReading() }

    /// A body that is held to be sent again is let go of.
    func memoryIsShort() {
        if held.purpose.isDispensable { held.letGo() }
    }

    // MARK: Time

    func deadlinePassed() {
        let stalls = state.state == .sending && upstream?.isWritable == false
        let action = state.deadlinePassed(upstreamStalls: stalls)
        // Nothing is left for the client to take, so it is the upstream that is late.
        let isLate = action == .answer(.upstream(.timeout)) || action == .abort && exchange.carrier?.unwrittenBytes == 0
        if loop.memoryWasShort, isLate || action == .answer(.message(.requestTimeout)) {
            // While neither side was read, nobody was late.
            loop.gateway.met(.memory)
            if action == .abort { exchange.record.reason = .gateway(.overloaded) }
            return perform(action == .abort ? .abort : .answer(.gateway(.overloaded)))
        }
        if isLate { noteLateness(action == .abort ? .restOfResponse : stalls ? .requestBody : .response) }
        perform(action)
    }

    /// What an upstream is late with.
    private enum Awaited { case requestBody, response, restOfResponse }

    private func noteLateness(_ awaited: Awaited) {
        if awaited == .restOfResponse {
            exchange.record.reason = .upstream(.timeout)
        } else {
            attempts.failed(.responseTimeout, in: loop.attempts)
            upstream?.doubtSession()
        }
        exchange.record.upstreamError =
            if exchange.usesStreamIdle { "nothing was received or taken within stream_idle" } else {
                switch awaited {
                case .requestBody: "the body of the request was not taken within body_idle"
                case .response: "no response within first_byte"
                case .restOfResponse: "no more of the response within body_idle"
                }
            }
    }

    func streamExpired(_ reason: RejectionReason) {
        let action = state.streamExpired(reason, mayEndEarly: exchange.carrier?.mayEndEarly ?? false)
        if action == .abort { exchange.record.reason = reason }
        perform(action)
    }
}
