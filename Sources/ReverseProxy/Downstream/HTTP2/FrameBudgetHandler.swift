import HTTP2Sessions
import NIOCore

/// Holds a client to its ``FrameBudget``, below the library's handlers, where every frame passes.
final class FrameBudgetHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let loop: LoopServices
    private var budget: FrameBudget
    private var received = FrameScanner(skipping: HTTP2Preface.bytes.count)
    private var sent = FrameScanner()
    private var isOverdrawn = false
    private var hasReported = false

    init(on loop: LoopServices, peerIsTrusted: Bool) {
        self.loop = loop
        budget = FrameBudget(
            for: peerIsTrusted ? .trustedProxy : .client, period: TickCount(.seconds(30)).count, at: loop.clock.tick)
    }

    /// What comes once the budget is spent is not read any more.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        var index = 0
        while !isOverdrawn, let frame = received.next(in: bytes.readableBytesUInt8Span, at: &index) {
            isOverdrawn = !budget.received(frame, at: loop.clock.tick)
        }
        guard isOverdrawn else { return context.fireChannelRead(data) }
        guard !hasReported else { return }
        hasReported = true
        context.fireErrorCaught(FrameBudgetOverdrawn())
    }

    /// An overdraft shows with the next read: a write may be in the middle of anything.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let bytes) = unwrapOutboundIn(data) {
            var index = 0
            while let frame = sent.next(in: bytes.readableBytesUInt8Span, at: &index) {
                if !budget.sent(frame, at: loop.clock.tick) { isOverdrawn = true }
            }
        }
        context.write(data, promise: promise)
    }
}

@available(*, unavailable)
extension FrameBudgetHandler: Sendable {}

/// A client's frames cost more than the work that they came with allows.
struct FrameBudgetOverdrawn: Error, Hashable {}
