import HTTPMessages
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Cuts one HTTP/1.1 request into the frames of a stream (RFC 9113 §8.3.1).
struct HTTP2OutgoingRequest: ~Copyable {
    private(set) var isHEAD = false

    private let limits: HeadLimits
    private var parser: RequestHeadParser
    private var body: BodyReader?
    private var isComplete = false
    /// The beginning of a head.
    private var input = ByteBuffer()

    /// - Parameter limits: what the gateway's own heads stay within.
    init(limits: HeadLimits) {
        self.limits = limits
        parser = RequestHeadParser(limits: limits)
    }

    /// The frames that the bytes come to; none as long as the head is not whole.
    mutating func frames(of bytes: ByteBuffer, scheme: String) throws -> [HTTP2Frame.FramePayload] {
        var bytes = input.takeAll(and: bytes)
        var frames: [HTTP2Frame.FramePayload] = []
        if body == nil {
            guard try parser.parse(bytes.readableBytesUInt8Span) == .complete else {
                input = bytes
                return []
            }
            bytes.moveReaderIndex(forwardBy: min(parser.head.byteCount, bytes.readableBytes))
            let body = BodyReader(parser.head.framing, limits: limits)
            isComplete = body.isComplete
            self.body = consume body
            isHEAD = parser.head.string(parser.head.method) == "HEAD"
            frames.append(.headers(.init(headers: Self.fields(of: parser.head, scheme: scheme), endStream: isComplete)))
        }
        guard !isComplete, bytes.readableBytes > 0 else { return frames }
        let content = try body?.take(from: &bytes)
        isComplete = body?.isComplete ?? true
        if content != nil || isComplete {
            frames.append(.data(.init(data: .byteBuffer(content ?? ByteBuffer()), endStream: isComplete)))
        }
        return frames
    }

    private static func fields(of head: RequestHead, scheme: String) -> HPACKHeaders {
        var fields = HPACKHeaders()
        fields.reserveCapacity(head.fields.count + 5)
        fields.add(name: ":method", value: head.string(head.method))
        fields.add(name: ":scheme", value: scheme)
        fields.add(name: ":path", value: head.string(head.target.bytes))
        if let authority = head.authority { fields.add(name: ":authority", value: head.string(authority.bytes)) }
        for field in head.fields where field.known != .host && !(field.known?.isHopByHop ?? false) {
            // Secrets stay out of the tables of the compression (RFC 7541 §7.1).
            let isSecret = field.known == .authorization || field.known == .cookie
            fields.add(
                name: head.string(field.name).lowercased(), value: head.string(field.value), indexing: isSecret ? .neverIndexed : .indexable
            )
        }
        // We take them, whoever asked.
        fields.add(name: "te", value: "trailers")
        return fields
    }
}
