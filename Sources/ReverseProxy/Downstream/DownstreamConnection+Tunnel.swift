import HTTPMessages
import NIOCore
import RequestAuthorization

/// A connection that went over to the WebSocket protocol: bytes pass both ways, and nothing of them is judged any more.
extension DownstreamConnection {
    /// Whether the upstream goes over to the protocol that the present request asks for.
    func isUpgraded(by head: ResponseHead) -> Bool {
        guard let key = exchange.webSocketKey, let accept = head.webSocketAccept else { return false }
        return state.phase == .forwarding && !state.responseBegan && WebSocketKey.isAnswered(key, by: accept)
    }

    /// Whether the client asks by HTTP/2's own form (RFC 8441 §4), in which any good answer says that the server has gone over.
    var asksByConnect: Bool { hop.stream != nil && request.head.contains(.upgrade) }

    /// The upstream has gone over. What the client has sent ahead goes on only now.
    ///
    /// - Parameter rest: what came behind the upstream's head.
    func upgraded(_ head: ResponseHead, _ rest: ByteBuffer) {
        guard let context, state.tunnels() else { return }
        let end = exchange.configuration.authorizer.streamEnd(of: request, exchange.facts)
        exchange.streaming = StreamingExchange(.webSocket, end: end)
        exchange.plan = ResponsePlan(.none, status: head.status, to: .http11, keepsAlive: false)
        exchange.status = head.status
        exchange.upstreamStatus = head.status
        loop.gather()
        writer(for: exchange.plan).writeUpgrade(head, into: &loop.headWriter)
        loop.outgoing.writeBytes(loop.headWriter.bytes)
        let sent = loop.send(nil, framing: .plain, ends: false, to: context)
        exchange.bytesOut += sent
        relayFromTunnel(rest)
        process()
        if loop.isDraining { endTunnel(.goingAway) }
    }

    /// Sends on what the client sent.
    func relayTunnel() -> Bool {
        // Who is about to be told that it ends is heard no more, though the other direction may still be within a frame.
        if let streaming = exchange.streaming, streaming.webSocketEnd != nil, streaming.fromClient.isBetweenFrames {
            input.clear()
            return false
        }
        guard let upstream, upstream.isWritable else { return false }
        let bytes = input
        input = ByteBuffer()
        exchange.bytesIn += bytes.readableBytes
        exchange.streaming?.fromClient.take(bytes.readableBytesUInt8Span)
        arm(exchange.pause)
        upstream.sendRaw(bytes)
        return true
    }

    /// The client has ended its side: so do we at the upstream, whose last bytes the client still gets, if they come soon.
    ///
    /// A browser ends its side of a stream with its close frame, and reads the upstream's afterwards.
    func endTunnelInput() {
        guard exchange.isPatient else { return }
        exchange.streaming?.isPatient = false
        arm(exchange.pause)
        upstream?.endTunnelOutput()
    }

    /// Sends on what the upstream sent.
    func relayFromTunnel(_ bytes: ByteBuffer) {
        guard let context, state.phase == .tunnel else { return }
        arm(exchange.pause)
        guard bytes.readableBytes > 0 else { return }
        exchange.bytesOut += bytes.readableBytes
        exchange.streaming?.toClient.take(bytes.readableBytesUInt8Span)
        context.writeAndFlush(NIOAny(bytes), promise: nil)
    }

    /// The upstream has ended its side; so do we, once the client has all of it.
    func tunnelEnded() {
        upstream = nil
        exchange.upstreamEndedAt = EventLoopClock.now()
        closeTunnel()
    }

    private func closeTunnel() {
        guard state.tunnelEnds() else { return }
        finishExchange()
        linger()
        // Reading may be held because the upstream took nothing; what comes now is thrown away.
        process()
    }

    /// Ends a WebSocket with a close frame each way, as soon as one can stand between two frames.
    func endTunnel(_ end: WebSocketEnd) {
        guard let context, state.phase == .tunnel else { return }
        exchange.streaming?.webSocketEnd = end
        let isOutOfPatience = exchange.streaming?.isOutOfPatience() ?? true
        guard let streaming = exchange.streaming, streaming.toClient.isBetweenFrames || isOutOfPatience else { return }
        exchange.reason = end.reason
        let farewell = streaming.fromClient.isBetweenFrames ? WebSocketFrames.close(end.status, end.text, mask: [0, 0, 0, 0]) : []
        upstream?.endTunnel(ByteBuffer(bytes: farewell))
        upstream = nil
        exchange.upstreamEndedAt = EventLoopClock.now()
        guard streaming.toClient.isBetweenFrames else { return abort() }
        let frame = WebSocketFrames.close(end.status, end.text)
        exchange.bytesOut += frame.count
        context.writeAndFlush(NIOAny(ByteBuffer(bytes: frame)), promise: nil)
        closeTunnel()
    }
}
