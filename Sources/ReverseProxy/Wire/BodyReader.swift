import HTTPMessages
import NIOCore

/// Extracts one message's body from the received bytes, without its framing.
struct BodyReader: ~Copyable {
    private enum Framing { case length, chunked, untilClose }

    private let framing: Framing
    /// Of a body of known length.
    private var remaining: Int
    private var decoder: ChunkedDecoder

    /// Whether the body is over; one that ends with the connection never is by itself.
    private(set) var isComplete: Bool
    /// How many bytes of content were received.
    private(set) var byteCount = 0

    /// The trailer section's lines, once the body is complete, if they are wanted; empty if there are none.
    var trailers: [UInt8] { decoder.trailers }

    /// - Parameter trailerFields: how many of them a chunked body may end with.
    init(_ body: BodyFraming, trailerFields: Int) {
        switch body {
        case .none: self.init(.length, 0, trailerFields)
        case .length(let length): self.init(.length, length, trailerFields)
        case .chunked: self.init(.chunked, 0, trailerFields)
        }
    }

    /// - Parameters:
    ///   - trailerFields: how many of them a chunked body may end with.
    ///   - keepsTrailers: whether the trailer section is wanted.
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

    /// What is left of a body whose length is known; nil of any other.
    var rest: Int? { framing == .length ? remaining : isComplete ? 0 : nil }

    /// Takes everything that belongs to the body and answers its content; what follows the body stays.
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

    /// The data of all chunks together, so that a million chunks of one byte do not become a million writes.
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
