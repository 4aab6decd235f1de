import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings

/// Output of one event: a head and the content after it, gathered so that a small body needs no separate write.
///
/// After a head, `send` must follow at once. The storage of a head is reused once it is written.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class OutgoingBytes {
    @safe @exclusivity(unchecked) private var buffer = ByteBufferAllocator().buffer(capacity: 4 * 1024)
    /// True if the buffer holds a head that `send` has not taken. Otherwise its content is stale.
    @safe @exclusivity(unchecked) private var holdsHead = false
    @safe @exclusivity(unchecked) private var chunkLine: [UInt8] = []

    private static let chunkEnd = ByteBuffer(bytes: ChunkedEncoder.dataEnd)
    private static let lastChunkEnd = ByteBuffer(bytes: ChunkedEncoder.dataEnd + ChunkedEncoder.terminator)

    /// Starts the output with a head.
    func begin(with writer: borrowing HeadWriter) {
        begin { _ = $0.writeBytes(writer.bytes) }
    }

    /// Starts the output with a complete response of the gateway itself.
    func begin(with writer: borrowing HeadWriter, _ content: [UInt8]) {
        begin {
            $0.writeBytes(writer.bytes)
            $0.writeBytes(content)
        }
    }

    /// Starts the output with the bytes that `write` puts into the buffer. `write` must call nothing that sends.
    func begin<Success>(_ write: (inout ByteBuffer) -> Success) -> Success {
        buffer.clear()
        holdsHead = true
        return write(&buffer)
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
        if !holdsHead { buffer.clear() }
        let isLarge = appendContent(content, framing: framing)
        if framing == .chunked, ends, !isLarge { Self.end(with: trailers, into: &buffer) }
        let first = buffer
        // Reset before any write, because a write can deliver an event that sends something else.
        holdsHead = false
        var byteCount = first.readableBytes
        if byteCount > 0 { end.write(first) }
        if isLarge, let content {
            byteCount += content.readableBytes
            end.write(content)
            if framing == .chunked {
                var last = ends && trailers.isEmpty ? Self.lastChunkEnd : Self.chunkEnd
                if ends, !trailers.isEmpty { Self.end(with: trailers, into: &last) }
                byteCount += last.readableBytes
                end.write(last)
            }
        }
        if byteCount > 0 { end.flush() }
        return byteCount
    }

    /// Writes the last chunk and the trailers (RFC 9112 §7.1.2).
    private static func end(with trailers: [UInt8], into buffer: inout ByteBuffer) {
        guard !trailers.isEmpty else { return _ = buffer.writeBytes(ChunkedEncoder.terminator) }
        buffer.writeStaticString("0\r\n")
        buffer.writeBytes(trailers)
        buffer.writeStaticString("\r\n")
    }

    /// Copies small content into the buffer. Returns true if the content is large and must be written separately.
    private func appendContent(_ content: ByteBuffer?, framing: OutgoingFraming) -> Bool {
        guard let content, content.readableBytes > 0 else { return false }
        if framing == .chunked {
            chunkLine.removeAll(keepingCapacity: true)
            ChunkedEncoder.appendSize(content.readableBytes, to: &chunkLine)
            buffer.writeBytes(chunkLine)
        }
        guard content.readableBytes <= FixedLimits.copiedBody else { return true }
        buffer.writeImmutableBuffer(content)
        if framing == .chunked { buffer.writeBytes(ChunkedEncoder.dataEnd) }
        return false
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
