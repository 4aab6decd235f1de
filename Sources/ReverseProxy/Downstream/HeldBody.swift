import NIOCore

/// What was taken of a request's body, kept as long as the request may have to be sent again.
///
/// It is whole or nothing: past the limit it lets go of everything, and the request can be sent once only.
struct HeldBody {
    /// The content from the first byte on; nil if there is none, or it is not held.
    private(set) var content: ByteBuffer?
    /// The trailer section's lines.
    private(set) var trailers: [UInt8] = []
    /// Whether every byte that was taken is here.
    private(set) var isWhole = true

    /// Takes a copy of what goes upstream, because the buffer that it came in may be much larger.
    ///
    /// - Parameter limit: how much is kept at most, in bytes.
    mutating func keep(_ part: ByteBuffer?, limit: Int) {
        guard let part, isWhole else { return }
        guard (content?.readableBytes ?? 0) + part.readableBytes <= limit else { return letGo() }
        var kept = content ?? ByteBuffer()
        content = nil
        kept.writeImmutableBuffer(part)
        content = kept
    }

    /// Takes the trailers that go upstream behind the content.
    mutating func keep(trailers lines: [UInt8], limit: Int) {
        guard !lines.isEmpty, isWhole else { return }
        guard (content?.readableBytes ?? 0) + lines.count <= limit else { return letGo() }
        trailers = lines
    }

    /// The request will not be sent again.
    mutating func letGo() {
        content = nil
        trailers = []
        isWhole = false
    }
}
