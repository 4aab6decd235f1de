import HTTPMessages
import NIOCore
import RequestAuthorization

/// A request that switched to the WebSocket protocol: bytes pass both ways, and none of them is judged.
extension ForwardedRequest {
    /// What the client has sent ahead is relayed only now.
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
        // Its token may have been denied while the upstream made up its mind.
        exchange.judgeStream()
    }

    func openTunnel() { exchange.beginStream(.webSocket) }

    /// How bytes that the client sends now are treated.
    var tunnelInput: TunnelInput {
        // A peer that is about to get the close frame is not read any more, though the other direction may still be
        // within a frame.
        if let streaming = exchange.streaming, streaming.webSocketEnd != nil, streaming.fromClient.isBetweenFrames {
            return .discarded
        }
        return upstreamIsWritable ? .relayed : .held
    }

    /// Relays what the client sent. Writing it can end the tunnel before this returns.
    func relayToTunnel(_ bytes: ByteBuffer) {
        exchange.record.bytesIn += bytes.readableBytes
        exchange.streaming?.fromClient.take(bytes.readableBytesUInt8Span)
        exchange.arm(exchange.idleTimeout)
        upstream?.sendRaw(bytes)
    }

    /// The client has ended its side: so do we at the upstream, whose last bytes the client still gets, if they come
    /// soon.
    ///
    /// A browser ends its side of a stream with its close frame, and reads the upstream's afterwards.
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

    /// The upstream has ended its side; so do we, once the client has all of it.
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

    /// Ends a WebSocket with a close frame each way, as soon as one can stand between two frames.
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

/// How a client's bytes in a tunnel are treated.
enum TunnelInput: Hashable { case relayed, held, discarded }
