import HTTPMessages
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Cuts the HTTP/1.1 answer to one request into the frames of a stream (RFC 9113 §8.3.2).
struct HTTP2Answer: ~Copyable {
    /// Set before the first byte comes.
    var requestIsHEAD = false
    /// Whether its last frame was given out.
    private(set) var isComplete = false
    /// Whether the client's question for the WebSocket protocol was answered by yes: what follows is its bytes.
    private(set) var isTunnel = false

    private let limits: HeadLimits
    private var parser: ResponseHeadParser
    private var body: BodyReader?
    /// The beginning of a head.
    private var input = ByteBuffer()

    init(limits: HeadLimits) {
        self.limits = limits
        parser = ResponseHeadParser(limits: limits)
    }

    /// The frames that the bytes come to; none as long as a head is not whole.
    mutating func frames(of bytes: ByteBuffer) throws -> [HTTP2Frame.FramePayload] {
        var bytes = input.takeAll(and: bytes)
        var frames: [HTTP2Frame.FramePayload] = []
        while bytes.readableBytes > 0, !isComplete {
            if isTunnel {
                frames.append(.data(.init(data: .byteBuffer(bytes))))
                break
            } else if body == nil {
                guard try takeHead(&bytes, &frames) else { break }
            } else {
                try takeBody(&bytes, &frames)
            }
        }
        return frames
    }

    private mutating func takeHead(_ bytes: inout ByteBuffer, _ frames: inout [HTTP2Frame.FramePayload]) throws -> Bool {
        guard try parser.parse(bytes.readableBytesUInt8Span, requestMethodIsHEAD: requestIsHEAD) == .complete else {
            input = bytes
            return false
        }
        let head = parser.head
        bytes.moveReaderIndex(forwardBy: min(head.byteCount, bytes.readableBytes))
        if head.status == 101 {
            isTunnel = true
        } else if head.isInterim {
            parser.reset()
        } else {
            let body = BodyReader(head.framing, limits: limits, keepsTrailers: true)
            isComplete = body.isComplete
            self.body = consume body
        }
        frames.append(.headers(.init(headers: Self.fields(of: head), endStream: isComplete)))
        return true
    }

    private mutating func takeBody(_ bytes: inout ByteBuffer, _ frames: inout [HTTP2Frame.FramePayload]) throws {
        let content = try body?.take(from: &bytes)
        isComplete = body?.isComplete ?? true
        let trailers = isComplete ? HPACKHeaders(trailers: body?.trailers ?? []) : [:]
        // An empty frame only where something has to carry the end.
        if content != nil || isComplete && trailers.isEmpty {
            frames.append(.data(.init(data: .byteBuffer(content ?? ByteBuffer()), endStream: isComplete && trailers.isEmpty)))
        }
        if !trailers.isEmpty { frames.append(.headers(.init(headers: trailers, endStream: true))) }
    }

    /// The last frame behind the bytes of a tunnel.
    mutating func endTunnel() -> HTTP2Frame.FramePayload {
        isComplete = true
        return .data(.init(data: .byteBuffer(ByteBuffer()), endStream: true))
    }

    /// The fields of a head without those that are about the connection (RFC 9113 §8.2.2).
    private static func fields(of head: ResponseHead) -> HPACKHeaders {
        var fields = HPACKHeaders()
        fields.reserveCapacity(head.fields.count + 1)
        // In HTTP/2 going over is an answer like another, and has no key to answer (RFC 8441 §5).
        fields.add(name: ":status", value: head.status == 101 ? "200" : "\(head.status)")
        for field in head.fields where !(field.known?.isHopByHop ?? false) && field.known != .secWebSocketAccept {
            fields.add(name: head.string(field.name).lowercased(), value: head.string(field.value))
        }
        return fields
    }
}

extension HPACKHeaders {
    /// - Parameter lines: a trailer section in HTTP/1.1.
    init(trailers lines: [UInt8]) {
        self.init()
        for field in TrailerFields(lines) {
            add(name: String(decoding: field.name, as: UTF8.self).lowercased(), value: String(decoding: field.value, as: UTF8.self))
        }
    }
}
