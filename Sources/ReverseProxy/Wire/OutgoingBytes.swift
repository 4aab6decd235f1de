import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings

/// The output of one event: a head and what follows it, gathered so that a small body takes no write of its own.
///
/// A head is followed by `send` at once. Its storage is used again once it is written.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class OutgoingBytes {
    @safe @exclusivity(unchecked) private var buffer = ByteBufferAllocator().buffer(capacity: 4 * 1024)
    /// Whether the buffer holds a head that `send` has not taken; if not, its content is stale.
    @safe @exclusivity(unchecked) private var holdsHead = false
    @safe @exclusivity(unchecked) private var chunkLine: [UInt8] = []

    private static let chunkEnd = ByteBuffer(bytes: ChunkedEncoder.dataEnd)
    private static let lastChunkEnd = ByteBuffer(bytes: ChunkedEncoder.dataEnd + ChunkedEncoder.terminator)

    /// Begins with a head.
    func begin(with writer: borrowing HeadWriter) {
        begin { _ = $0.writeBytes(writer.bytes) }
    }

    /// Begins with a whole answer of the gateway's own.
    func begin(with writer: borrowing HeadWriter, _ content: [UInt8]) {
        begin {
            $0.writeBytes(writer.bytes)
            $0.writeBytes(content)
        }
    }

    /// Begins with what `write` writes into the buffer; it must call nothing that sends.
    func begin<Success>(_ write: (inout ByteBuffer) -> Success) -> Success {
        buffer.clear()
        holdsHead = true
        return write(&buffer)
    }

    /// Forgets a head that cannot be sent.
    func discard() {
        holdsHead = false
    }

    /// Writes what was gathered and body content behind it, framed, and flushes. Returns how many bytes that are.
    ///
    /// A failing write brings events in before this returns, so look at the state again afterwards.
    ///
    /// - Parameter trailers: field lines behind the last chunk; only with the end of chunked content.
    func send(
        _ content: ByteBuffer?, framing: OutgoingFraming, ends: Bool, trailers: [UInt8] = [], to end: ChannelEnd
    ) -> Int {
        if !holdsHead { buffer.clear() }
        let isLarge = appendContent(content, framing: framing)
        if framing == .chunked, ends, !isLarge { Self.end(with: trailers, into: &buffer) }
        let first = buffer
        // Before anything is written: that can bring in an event that sends something else.
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

    /// Copies small content behind what was gathered; returns true if it is large and goes out by itself.
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

/// How body content goes out.
enum OutgoingFraming: Hashable {
    /// As it is: its length was announced, or its end is the connection's.
    case plain
    case chunked
}

extension FieldWriter {
    /// Replaces the fields with those of the message.
    ///
    /// Mutating, so that a writer that is a class's property is not copied for it.
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
    /// Takes the lines of a trailer section in place of its own.
    mutating func fill(fromTrailers lines: [UInt8]) {
        removeAll()
        for field in TrailerFields(lines) { append(field.name.span, field.value.span) }
    }
}
