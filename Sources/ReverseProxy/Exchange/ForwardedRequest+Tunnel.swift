import HTTPMessages
import NIOCore
import RequestAuthorization

/// Forwarding of a WebSocket: bytes pass both ways, and are not judged.
extension ForwardedRequest {
    /// Opens the tunnel when the upstream switched protocols. Bytes that the client sent early are forwarded only now.
    func upgraded(_ head: ResponseHead, _ rest: ByteBuffer) {
        guard let carrier = exchange.carrier else { return }
        let action = state.protocolSwitched()
        guard action == .openTunnel else { return perform(action) }
        attempts.answered(head.status, at: EventLoopClock.now(), in: loop.attempts, fleetRequest)
        exchange.record.status = head.status
        exchange.record.upstreamStatus = head.status
        perform(action)
        carrier.sendUpgrade(head)
        relayFromTunnel(rest)
        carrier.process()
        if loop.isDraining { return drain() }
        // The token may have been denied while the upstream was preparing the response.
        exchange.judgeStream()
    }

    func openTunnel() { exchange.beginStream(.webSocket) }

    /// Treatment of bytes that the client sends now.
    var tunnelInput: TunnelInput {
        // A peer that is about to get the close frame is not read any more, even if the other direction is within a
        // frame.
        if let streaming = exchange.streaming, streaming.webSocketEnd != nil, streaming.fromClient.isBetweenFrames {
            return .discarded
        }
        return upstreamIsWritable ? .relayed : .held
    }

    /// Forwards bytes from the client. The write can close the tunnel before this returns.
    func relayToTunnel(_ bytes: ByteBuffer) {
        exchange.record.bytesIn += bytes.readableBytes
        exchange.streaming?.fromClient.take(bytes.readableBytesUInt8Span)
        exchange.arm(exchange.idleTimeout)
        upstream?.sendRaw(bytes)
    }

    /// Half-closes the upstream's side when the client closed its side. The client still gets the upstream's last
    /// bytes, if they come within `body_idle`.
    ///
    /// A browser closes its side of a stream with its close frame, and reads the upstream's close frame afterwards.
    func halfCloseTunnel() {
        guard exchange.usesStreamIdle else { return }
        exchange.streaming?.isPatient = false
        exchange.arm(exchange.idleTimeout)
        upstream?.endTunnelOutput()
    }

    func relayFromTunnel(_ bytes: ByteBuffer) {
        guard let carrier = exchange.carrier, state.state == .tunnel else { return }
        exchange.arm(exchange.idleTimeout)
        guard bytes.readableBytes > 0 else { return }
        exchange.record.bytesOut += bytes.readableBytes
        exchange.streaming?.toClient.take(bytes.readableBytesUInt8Span)
        carrier.sendTunnel(bytes)
    }

    /// Called when the upstream closed its side. Closes the client's side once everything is sent.
    func tunnelEnded() {
        upstream = nil
        exchange.record.upstreamEndedAt = EventLoopClock.now()
        closeTunnel()
    }

    private func closeTunnel() {
        let carrier = exchange.carrier
        let action = state.tunnelEnded()
        perform(action)
        if action == .finish { carrier?.tunnelEnded() }
    }

    /// Closes a WebSocket with a close frame each way, as soon as it fits between two frames.
    func endTunnel(_ end: WebSocketEnd) {
        guard state.state == .tunnel else { return }
        exchange.streaming?.webSocketEnd = end
        let isOutOfPatience = exchange.streaming?.isOutOfPatience() ?? true
        guard let streaming = exchange.streaming, streaming.toClient.isBetweenFrames || isOutOfPatience else { return }
        exchange.record.reason = end.reason
        let farewell =
            streaming.fromClient.isBetweenFrames ? WebSocketFrames.close(end.status, end.text, mask: [0, 0, 0, 0]) : []
        upstream?.endTunnel(ByteBuffer(bytes: farewell))
        upstream = nil
        exchange.record.upstreamEndedAt = EventLoopClock.now()
        guard streaming.toClient.isBetweenFrames else { return exchange.carrier?.abort() ?? () }
        let frame = WebSocketFrames.close(end.status, end.text)
        exchange.record.bytesOut += frame.count
        exchange.carrier?.sendTunnel(ByteBuffer(bytes: frame))
        closeTunnel()
    }
}

/// Treatment of a client's bytes in a tunnel.
enum TunnelInput: Hashable { case relayed, held, discarded }
