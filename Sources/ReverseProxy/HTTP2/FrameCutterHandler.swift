import NIOCore

/// Lets the library write a field section of any size.
///
/// The library writes each as one frame, and fails the connection with all its streams if the peer does not take a
/// frame so large. So it hears of a peer that takes the largest there are (RFC 9113 §6.5.2), and what it writes is
/// cut here, below it.
final class FrameCutterHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Which end of the connection this is.
    enum Role { case server, client }

    private static let settingsType: UInt8 = 4
    /// SETTINGS_MAX_FRAME_SIZE, and the greatest value it can have.
    private static let frameSize: (parameter: UInt16, value: UInt32) = (5, 0xFF_FFFF)
    private static let settingLength = 6
    private static let acknowledgement: [UInt8] = [0, 0, 0, settingsType, 1, 0, 0, 0, 0]

    /// What the peer sends before its first frame.
    private let peerPreface: [UInt8]
    private var cutter: FrameCutter
    /// The peer's preface and first frame, until they are whole; nil from then on.
    private var received: ByteBuffer? = ByteBuffer()
    private var context: ChannelHandlerContext?
    /// Whether the library's next acknowledgement is for settings that the peer did not send.
    private var dropsAcknowledgement = false

    init(_ role: Role) {
        switch role {
        case .server: (peerPreface, cutter) = (HTTP2Preface.bytes, FrameCutter())
        case .client: (peerPreface, cutter) = ([], FrameCutter(skipping: HTTP2Preface.bytes.count))
        }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: The peer's settings

    /// Tells the library at once, for a client that writes its first request before it has heard of the server's
    /// settings.
    func begin() {
        var frame = ByteBuffer()
        frame.writeBytes([0, 0, UInt8(Self.settingLength), Self.settingsType, 0, 0, 0, 0, 0])
        frame.writeInteger(Self.frameSize.parameter)
        frame.writeInteger(Self.frameSize.value)
        dropsAcknowledgement = true
        context?.fireChannelRead(wrapInboundOut(frame))
        context?.fireChannelReadComplete()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard var bytes = received else { return context.fireChannelRead(data) }
        bytes.writeImmutableBuffer(unwrapInboundIn(data))
        received = bytes
        guard let changed = withFrameSize(bytes) else { return }
        received = nil
        context.fireChannelRead(wrapInboundOut(changed))
    }

    /// The same with one setting more in the first frame; unchanged if that has no settings, which the library
    /// refuses. Nil if it is not whole.
    private func withFrameSize(_ bytes: ByteBuffer) -> ByteBuffer? {
        let preface = bytes.readableBytesView.prefix(peerPreface.count)
        guard peerPreface.starts(with: preface) else { return bytes }
        let start = bytes.readerIndex + peerPreface.count
        guard let high = bytes.getInteger(at: start, as: UInt16.self),
            let low = bytes.getInteger(at: start + 2, as: UInt8.self),
            let type = bytes.getInteger(at: start + 3, as: UInt8.self),
            let flags = bytes.getInteger(at: start + 4, as: UInt8.self)
        else { return nil }
        let length = Int(high) << 8 | Int(low)
        guard type == Self.settingsType, flags == 0, length <= FrameCutter.largestFrame - Self.settingLength else {
            return bytes
        }
        let end = start + FrameCutter.headerLength + length
        guard end <= bytes.writerIndex else { return nil }
        var changed = bytes.getSlice(at: bytes.readerIndex, length: end - bytes.readerIndex) ?? ByteBuffer()
        let index = changed.readerIndex + peerPreface.count
        changed.setInteger(UInt16(truncatingIfNeeded: (length + Self.settingLength) >> 8), at: index)
        changed.setInteger(UInt8(truncatingIfNeeded: length + Self.settingLength), at: index + 2)
        // The last of two values holds (§6.5.3).
        changed.writeInteger(Self.frameSize.parameter)
        changed.writeInteger(Self.frameSize.value)
        if let rest = bytes.getSlice(at: end, length: bytes.writerIndex - end) { changed.writeImmutableBuffer(rest) }
        return changed
    }

    // MARK: Our frames

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let bytes) = unwrapOutboundIn(data), bytes.readableBytes > 0 else {
            return context.write(data, promise: promise)
        }
        if dropsAcknowledgement, bytes.readableBytesView.elementsEqual(Self.acknowledgement) {
            dropsAcknowledgement = false
            promise?.succeed()
            return
        }
        let parts = cutter.cut(bytes)
        for part in parts.dropLast() { context.write(wrapOutboundOut(.byteBuffer(part)), promise: nil) }
        context.write(wrapOutboundOut(.byteBuffer(parts.last ?? ByteBuffer())), promise: promise)
    }
}

@available(*, unavailable)
extension FrameCutterHandler: Sendable {}
