import HTTPMessages
import NIOCore
import RequestAuthorization

/// A request that switched to the WebSocket protocol: bytes pass both ways, and none of them is judged.
extension RequestExchange {
    /// Whether the client asks by HTTP/2's own form (RFC 8441 §4), in which any good answer says that the server has
    /// switched.
    var asksByConnect: Bool { request.head.version == .http2 && request.head.contains(.upgrade) }

    /// What the client has sent ahead is relayed only now.
    func upgraded(_ head: ResponseHead, _ rest: ByteBuffer) {
        guard let carrier, state.isForwarding else { return }
        let action = state.protocolSwitched()
        guard action == .openTunnel else { return }
        attemptAnswered(head.status, at: EventLoopClock.now())
        record.status = head.status
        record.upstreamStatus = head.status
        perform(action)
        carrier.sendUpgrade(head)
        relayFromTunnel(rest)
        carrier.process()
        if loop.isDraining { return endTunnel(.goingAway) }
        // Its token may have been denied while the upstream made up its mind.
        judgeStream()
    }

    func openTunnel() {
        let end = configuration.authorizer.streamEnd(of: request, record.facts)
        relay.streaming = StreamingExchange(.webSocket, end: end, marks: streamMarks)
    }

    /// How bytes that the client sends now are treated.
    var tunnelInput: TunnelInput {
        // A peer that is about to get the close frame is not read any more, though the other direction may still be
        // within a frame.
        if let streaming = relay.streaming, streaming.webSocketEnd != nil, streaming.fromClient.isBetweenFrames {
            return .discarded
        }
        return upstream?.isWritable == true ? .relayed : .held
    }

    /// Relays what the client sent. Writing it can end the tunnel before this returns.
    func relayToTunnel(_ bytes: ByteBuffer) {
        record.bytesIn += bytes.readableBytes
        relay.streaming?.fromClient.take(bytes.readableBytesUInt8Span)
        arm(idleTimeout)
        upstream?.sendRaw(bytes)
    }

    /// The client has ended its side: so do we at the upstream, whose last bytes the client still gets, if they come
    /// soon.
    ///
    /// A browser ends its side of a stream with its close frame, and reads the upstream's afterwards.
    func halfCloseTunnel() {
        guard relay.usesStreamIdle else { return }
        relay.streaming?.isPatient = false
        arm(idleTimeout)
        upstream?.endTunnelOutput()
    }

    func relayFromTunnel(_ bytes: ByteBuffer) {
        guard let carrier, state.state == .tunnel else { return }
        arm(idleTimeout)
        guard bytes.readableBytes > 0 else { return }
        record.bytesOut += bytes.readableBytes
        relay.streaming?.toClient.take(bytes.readableBytesUInt8Span)
        carrier.sendTunnel(bytes)
    }

    /// The upstream has ended its side; so do we, once the client has all of it.
    func tunnelEnded() {
        upstream = nil
        record.upstreamEndedAt = EventLoopClock.now()
        closeTunnel()
    }

    private func closeTunnel() {
        let action = state.tunnelEnded()
        guard action != .none else { return }
        perform(action)
        carrier?.tunnelEnded()
    }

    /// Ends a WebSocket with a close frame each way, as soon as one can stand between two frames.
    func endTunnel(_ end: WebSocketEnd) {
        guard state.state == .tunnel else { return }
        relay.streaming?.webSocketEnd = end
        let isOutOfPatience = relay.streaming?.isOutOfPatience() ?? true
        guard let streaming = relay.streaming, streaming.toClient.isBetweenFrames || isOutOfPatience else { return }
        record.reason = end.reason
        let farewell =
            streaming.fromClient.isBetweenFrames ? WebSocketFrames.close(end.status, end.text, mask: [0, 0, 0, 0]) : []
        upstream?.endTunnel(ByteBuffer(bytes: farewell))
        upstream = nil
        record.upstreamEndedAt = EventLoopClock.now()
        guard streaming.toClient.isBetweenFrames else { return carrier?.abort() ?? () }
        let frame = WebSocketFrames.close(end.status, end.text)
        record.bytesOut += frame.count
        carrier?.sendTunnel(ByteBuffer(bytes: frame))
        closeTunnel()
    }
}

/// How a client's bytes in a tunnel are treated.
enum TunnelInput: Hashable { case relayed, held, discarded }
