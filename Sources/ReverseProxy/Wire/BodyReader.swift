import HTTPMessages
import NIOCore

/// Extracts one message's body from the received bytes, without its framing.
struct BodyReader: ~Copyable {
    private enum Framing { case length, chunked, untilClose }

    private let framing: Framing
    /// Number of bytes still to come, for a body of known length.
    private var remaining: Int
    private var decoder: ChunkedDecoder

    /// True if the body is complete. A body that ends with the connection is never complete by itself.
    private(set) var isComplete: Bool
    /// Number of content bytes received so far.
    private(set) var byteCount = 0

    /// Lines of the trailer section, once the body is complete, if trailers are kept. Empty if there are none.
    var trailers: [UInt8] { decoder.trailers }

    /// - Parameter trailerFields: largest number of trailer fields of a chunked body.
    init(_ body: BodyFraming, trailerFields: Int) {
        switch body {
        case .none: self.init(.length, 0, trailerFields)
        case .length(let length): self.init(.length, length, trailerFields)
        case .chunked: self.init(.chunked, 0, trailerFields)
        }
    }

    /// - Parameters:
    ///   - trailerFields: largest number of trailer fields of a chunked body.
    ///   - keepsTrailers: whether the trailer section is kept.
    init(_ body: ResponseBodyFraming, trailerFields: Int, keepsTrailers: Bool = false) {
        switch body {
        case .none: self.init(.length, 0, trailerFields)
        case .length(let length): self.init(.length, length, trailerFields)
        case .chunked: self.init(.chunked, 0, trailerFields, keepsTrailers: keepsTrailers)
        case .untilClose: self.init(.untilClose, 0, trailerFields)
        }
    }

    private init(_ framing: Framing, _ length: Int, _ trailerFields: Int, keepsTrailers: Bool = false) {
        self.framing = framing
        remaining = length
        isComplete = framing == .length && length == 0
        decoder = ChunkedDecoder(limits: ChunkLimits(trailerFields: trailerFields), keepsTrailers: keepsTrailers)
    }

    /// Number of bytes still to come. Nil if that is not known.
    var rest: Int? { framing == .length ? remaining : isComplete ? 0 : nil }

    /// Takes everything that belongs to the body, and returns its content. Bytes after the body stay. Nil if no content
    /// was received.
    mutating func take(from received: inout ByteBuffer) throws(ChunkRejection) -> ByteBuffer? {
        guard !isComplete else { return nil }
        switch framing {
        case .length: return takeCounted(min(remaining, received.readableBytes), from: &received)
        case .untilClose: return takeCounted(received.readableBytes, from: &received)
        case .chunked: return try takeChunks(from: &received)
        }
    }

    private mutating func takeCounted(_ count: Int, from received: inout ByteBuffer) -> ByteBuffer? {
        guard count > 0 else { return nil }
        byteCount &+= count
        if framing == .length {
            remaining &-= count
            isComplete = remaining == 0
        }
        return received.readSlice(length: count)
    }

    /// Joins the data of all chunks, so that a million chunks of one byte do not become a million writes. Nil if no
    /// data was received.
    private mutating func takeChunks(from received: inout ByteBuffer) throws(ChunkRejection) -> ByteBuffer? {
        var content: ByteBuffer?
        while received.readableBytes > 0, !isComplete {
            let step = try decoder.next(received.readableBytesUInt8Span)
            if case .data(let range) = step.event,
                let piece = received.getSlice(at: received.readerIndex + range.lowerBound, length: range.count)
            {
                byteCount &+= range.count
                if content?.writeImmutableBuffer(piece) == nil { content = piece }
            }
            received.moveReaderIndex(forwardBy: min(step.consumed, received.readableBytes))
            isComplete = step.event == .end
        }
        return content
    }
}
