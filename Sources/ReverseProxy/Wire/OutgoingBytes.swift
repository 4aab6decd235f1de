import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings

/// Output of one event: a head and the content after it, gathered so that a small body needs no separate write.
///
/// After a head, `send` must follow at once. The storage of a head is reused once it is sent.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class OutgoingBytes {
    @safe @exclusivity(unchecked) private var output = HeadWriter()
    /// Bytes that a socket did not take at once, for its channel.
    @safe @exclusivity(unchecked) private var rest = ByteBufferAllocator().buffer(capacity: 4 * 1024)
    @safe @exclusivity(unchecked) private var chunkLine: [UInt8] = []
    /// True if `output` begins with a head that `send` has not taken. Otherwise its content is stale.
    @safe @exclusivity(unchecked) private var holdsHead = false

    private static let chunkEnd = ByteBuffer(bytes: ChunkedEncoder.dataEnd)

    /// Starts the output with the head in a writer, which gets the storage of the last output in exchange.
    ///
    /// - Parameter content: Content of a complete response.
    func begin(with writer: inout HeadWriter, _ content: [UInt8] = []) {
        swap(&output, &writer)
        holdsHead = true
        if !content.isEmpty { output.content(content) }
    }

    /// Discards a head that cannot be sent.
    func discard() {
        holdsHead = false
    }

    /// Writes the gathered bytes and then the framed body content, and flushes. Returns the number of bytes.
    ///
    /// A failing write delivers events before this returns, so check the state again afterwards.
    ///
    /// - Parameter trailers: field lines after the last chunk; only at the end of chunked content.
    func send(
        _ content: ByteBuffer?, framing: OutgoingFraming, ends: Bool, trailers: [UInt8] = [], to end: ChannelEnd
    ) -> Int {
        if !holdsHead { output.reset() }
        // Reset before any write, because a write can deliver an event that sends something else.
        holdsHead = false
        if let content, content.readableBytes > 0 {
            if framing == .chunked { appendChunkLine(content.readableBytes) }
            if content.readableBytes > FixedLimits.copiedBody {
                return sendUncopied(content, framing: framing, ends: ends, trailers: trailers, to: end)
            }
            output.content(content.readableBytesUInt8Span)
            if framing == .chunked { output.content(ChunkedEncoder.dataEnd) }
        }
        if framing == .chunked, ends { output.content(Self.lastChunk(trailers)) }
        let byteCount = output.count
        let sent = byteCount == 0 ? 0 : output.withBytes { end.sendAtOnce($0) }
        if sent < byteCount {
            end.write(unsent(from: sent))
            end.flush()
        }
        return byteCount
    }

    /// Writes the gathered bytes, and content that is too large to be gathered.
    private func sendUncopied(
        _ content: ByteBuffer, framing: OutgoingFraming, ends: Bool, trailers: [UInt8], to end: ChannelEnd
    ) -> Int {
        var byteCount = output.count &+ content.readableBytes
        if output.count > 0 { end.write(unsent(from: 0)) }
        end.write(content)
        if framing == .chunked {
            var last = Self.chunkEnd
            if ends { last.writeBytes(Self.lastChunk(trailers)) }
            byteCount &+= last.readableBytes
            end.write(last)
        }
        end.flush()
        return byteCount
    }

    private func appendChunkLine(_ byteCount: Int) {
        chunkLine.removeAll(keepingCapacity: true)
        ChunkedEncoder.appendSize(byteCount, to: &chunkLine)
        output.content(chunkLine)
    }

    /// The last chunk and the trailers (RFC 9112 §7.1.2).
    private static func lastChunk(_ trailers: [UInt8]) -> [UInt8] {
        trailers.isEmpty ? ChunkedEncoder.terminator : Array("0\r\n".utf8) + trailers + Array("\r\n".utf8)
    }

    /// The gathered bytes behind an offset, in a buffer that is reused once the channel has let go of it.
    private func unsent(from start: Int) -> ByteBuffer {
        rest.clear()
        rest.writeBytes(output.bytes.dropFirst(start))
        return rest
    }
}

@available(*, unavailable)
extension OutgoingBytes: Sendable {}

/// Framing of outgoing body content.
enum OutgoingFraming: Hashable {
    /// Without framing: the length was announced, or the end of the connection ends the body.
    case plain
    case chunked
}

extension FieldWriter {
    /// Replaces the fields of `outgoing` with those of this writer.
    ///
    /// Mutating, so that a writer in a class's property is not copied for it.
    mutating func hand(to outgoing: inout OutgoingFields) {
        withFields { bytes, fields in
            outgoing.take(bytes, count: fields.count) { index in
                let field = fields[index]
                return (field.name, field.value, field.indexing)
            }
        }
    }
}

extension FieldWriter.Field {
    fileprivate var indexing: FieldIndexing { isNeverIndexed ? .never : isPrepared ? .indexed : .without }
}

extension OutgoingFields {
    /// Replaces the fields with those of a trailer section.
    mutating func fill(fromTrailers lines: [UInt8]) {
        removeAll()
        for field in TrailerFields(lines) { append(field.name.span, field.value.span) }
    }
}
