import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import UpstreamFleets

/// Forwarding of the upstream's response, and its time-outs.
extension ForwardedRequest {
    /// True if the client takes more of the response.
    var isWritable: Bool { exchange.isWritable }

    func relayInterim(_ head: ResponseHead) {
        held.letGo()
        // HTTP/1.0 has none (RFC 9110 §15.2).
        guard exchange.request.head.version != .http10, !responseBegan else { return }
        exchange.carrier?.sendInterim(head)
    }

    func relayResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8]) {
        guard let carrier = exchange.carrier, state.state == .sending || state.state == .answering else { return }
        // A small answer arrives whole; the clock is then read once for head and end.
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
        // The token may have been denied while the upstream was preparing the response.
        if head != nil, exchange.streaming?.kind == .events { exchange.judgeStream() }
    }

    private func responseHeadReceived(_ head: ResponseHead) {
        if exchange.streaming == nil, head.isEventStream { exchange.beginStream(.events) }
        exchange.record.status = head.status
        exchange.record.upstreamStatus = head.status
        held.letGo()
        note(state.responseHeadReceived())
    }

    /// Rule and client of a request, as far as the fleet counts failures by them.
    func fleetRequest(_ status: Int) -> FleetRequest {
        let configuration = exchange.configuration
        // Read field by field: a copy of the facts would be expensive.
        let row = configuration.labels.row(exchange.record.facts?.rule, of: exchange.record.facts?.resource)
        let rule = configuration.generation &<< 32 | row
        // The client counts only for failures, and takes a while to find out.
        guard status >= 500,
            let client = exchange.hop.address.client(of: exchange.request.head, configuration).address
        else { return FleetRequest(rule: rule, client: ClientKey(high: 0, low: 0)) }
        return FleetRequest(rule: rule, client: ClientKey(high: client.high, low: client.low))
    }

    /// Rejects the request because the upstream's response cannot be forwarded.
    private func refuse(_ failure: UpstreamFailure) {
        attempts.failed(failure, in: loop.attempts)
        exchange.record.upstreamError = failure.text
        exchange.reject(Rejection(failure.reason))
    }

    /// The trailers that are forwarded. Fields with a meaning in heads and fields that only the gateway may set are
    /// removed. So are values with bytes above 0x7F that a head could not have either.
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
        // The write may have found that the client left.
        let carrier = exchange.carrier
        let action = state.responseSent()
        perform(action)
        if action == .finish { carrier?.exchangeEnded() }
    }

    /// Ends a response early because its stream expired.
    func endResponse(_ reason: RejectionReason) {
        exchange.record.reason = reason
        abandonUpstream()
        exchange.record.upstreamEndedAt = EventLoopClock.now()
        let trailers = exchange.request.head.acceptsTrailers ? exchange.streaming?.trailers(for: reason) ?? [] : []
        exchange.carrier?.sendResponse(nil, nil, ends: true, trailers: trailers)
        responseSent()
    }

    /// Called when the client can take more of the response.
    func clientBecameWritable() {
        guard let upstream else { return }
        if responseBegan { exchange.arm(exchange.idleTimeout) }
        upstream.resumeReading()
    }

    func resumeReading() { upstream?.resumeReading() }

    /// Drops a body that is held only for replay.
    func memoryIsShort() {
        if held.purpose.isDispensable { held.letGo() }
    }

    // MARK: Time

    func deadlinePassed() {
        let stalls = state.state == .sending && upstream?.isWritable == false
        let action = state.deadlinePassed(upstreamStalls: stalls)
        // With no unwritten bytes the client is not late, so the upstream is.
        let isLate = action == .answer(.upstream(.timeout)) || action == .abort && exchange.carrier?.unwrittenBytes == 0
        if loop.memoryWasShort, isLate || action == .answer(.message(.requestTimeout)) {
            // Neither side was read for lack of memory, so neither was late.
            loop.gateway.met(.memory)
            if action == .abort { exchange.record.reason = .gateway(.overloaded) }
            return perform(action == .abort ? .abort : .answer(.gateway(.overloaded)))
        }
        if isLate { noteLateness(action == .abort ? .restOfResponse : stalls ? .requestBody : .response) }
        perform(action)
    }

    /// The part that the upstream is late with.
    private enum Awaited { case requestBody, response, restOfResponse }

    private func noteLateness(_ awaited: Awaited) {
        if awaited == .restOfResponse {
            exchange.record.reason = .upstream(.timeout)
        } else {
            attempts.failed(.responseTimeout, in: loop.attempts)
            upstream?.doubtSession()
        }
        exchange.record.upstreamError =
            if exchange.usesStreamIdle { "no data was sent or received within stream_idle" } else {
                switch awaited {
                case .requestBody: "the upstream did not read the request body within body_idle"
                case .response: "no response within first_byte"
                case .restOfResponse: "no more of the response within body_idle"
                }
            }
    }

    func streamExpired(_ reason: RejectionReason) {
        let action = state.streamExpired(reason, mayEndEarly: exchange.carrier?.mayEndEarly ?? false)
        exchange.noteStreamEnd(reason)
        if action == .abort { exchange.record.reason = reason }
        perform(action)
    }
}
