import NIOCore
import NIOHTTP1

/// Collects one request after the other. The pipeline passes the next request when the answer is written.
final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let tally: RequestTally
    private let answer: LoopbackServer.Handler
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ tally: RequestTally, _ answer: @escaping LoopbackServer.Handler) {
        self.tally = tally
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
        case .body(var part): body.writeBuffer(&part)
        case .end: respond(context)
        }
    }

    private func respond(_ context: ChannelHandlerContext) {
        guard let head else { return }
        let request = LoopbackRequest(method: head.method, target: head.uri, fields: head.headers, body: body)
        tally.add(request.path)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let isKeptAlive = head.isKeepAlive
        context.eventLoop.makeFutureWithTask { [answer] in try await answer(request) }.whenComplete { result in
            let (handler, context) = bound.value
            guard case .success(let reply) = result else { return context.close(promise: nil) }
            handler.write(reply, isKeptAlive: isKeptAlive, context)
        }
    }

    private func write(_ reply: LoopbackReply, isKeptAlive: Bool, _ context: ChannelHandlerContext) {
        var fields = reply.fields
        if reply.status != .notModified {
            fields.replaceOrAdd(name: "Content-Length", value: String(reply.body.readableBytes))
        }
        context.write(
            wrapOutboundOut(.head(.init(version: .http1_1, status: reply.status, headers: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(reply.body))), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            if !isKeptAlive { bound.value.close(promise: nil) }
        }
    }
}
