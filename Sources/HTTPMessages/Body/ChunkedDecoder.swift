import NetworkNames

/// Finds the data in a chunked body (RFC 9112 §7.1). Extensions are checked and dropped; trailers are checked, and kept
/// on demand.
///
/// Each byte is consumed once, however the bytes are split. After a rejection every call throws it again. After `.end`
/// nothing is consumed.
public struct ChunkedDecoder: ~Copyable, Sendable {
    /// Result of one call of `next(_:)`.
    public struct Step: Hashable, Sendable {
        public enum Event: Hashable, Sendable {
            /// All bytes were consumed and the body continues.
            case needsMore
            /// The range of body data in the bytes that were passed.
            case data(Range<Int>)
            /// The body and its trailer section are complete.
            case end
        }

        /// Number of bytes consumed. Pass the rest to the next call.
        public var consumed: Int
        public var event: Event
    }

    private enum State {
        case size
        case chunkExtension(ChunkExtension)
        case sizeLineFeed
        case data
        case dataCarriageReturn
        case dataLineFeed
        case trailers(TrailerSection)
        case end
        case refused(ChunkRejection)
    }

    private let limits: ChunkLimits
    private var state = State.size

    /// Size of the chunk that is being read; after the size line, the number of data bytes still to come.
    private var remaining = 0
    private var sizeDigits = 0
    private var extensionBytes = 0
    private let keepsTrailers: Bool
    /// The trailer field lines, each with its line end. Empty if trailers are not kept.
    public private(set) var trailers: [UInt8] = []

    /// Longest chunk size in digits. Eight digits are 4 GiB − 1: more than any sender puts into one chunk, and no
    /// addition can overflow.
    private static let longestSize = 8

    public init(limits: ChunkLimits = ChunkLimits(), keepsTrailers: Bool = false) {
        self.limits = limits
        self.keepsTrailers = keepsTrailers
    }

    /// True if the body is complete.
    public var isAtEnd: Bool {
        if case .end = state { return true }
        return false
    }

    /// Consumes bytes up to the end of a range of data or of the body.
    public mutating func next(_ bytes: Span<UInt8>) throws(ChunkRejection) -> Step {
        do throws(ChunkRejection) {
            return try advance(bytes)
        } catch {
            state = .refused(error)
            throw error
        }
    }

    private mutating func advance(_ bytes: Span<UInt8>) throws(ChunkRejection) -> Step {
        var index = 0
        while index < bytes.count {
            switch state {
            case .data:
                let count = min(remaining, bytes.count &- index)
                remaining &-= count
                if remaining == 0 { state = .dataCarriageReturn }
                return Step(consumed: index &+ count, event: .data(index..<index &+ count))
            case .end:
                return Step(consumed: index, event: .end)
            case .size, .chunkExtension, .sizeLineFeed, .dataCarriageReturn, .dataLineFeed, .trailers, .refused:
                try take(bytes[index])
                index &+= 1
            }
        }
        return Step(consumed: index, event: isAtEnd ? .end : .needsMore)
    }

    /// Consumes one byte that is not data.
    private mutating func take(_ byte: UInt8) throws(ChunkRejection) {
        switch state {
        case .size: try takeSize(byte)
        case .chunkExtension(let chunkExtension): try takeExtension(byte, chunkExtension)
        case .sizeLineFeed: try takeSizeLineFeed(byte)
        case .dataCarriageReturn:
            guard byte == ASCII.carriageReturn else { throw .dataNotTerminated }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { throw .dataNotTerminated }
            state = .size
            sizeDigits = 0
        case .trailers(var section):
            let ends = try section.take(byte, limits: limits)
            if keepsTrailers { trailers.append(byte) }
            // The blank line that ends the section is not kept.
            if ends, keepsTrailers { trailers.removeLast(min(2, trailers.count)) }
            state = ends ? .end : .trailers(section)
        case .refused(let rejection): throw rejection
        case .data, .end: return
        }
    }

    private mutating func takeSize(_ byte: UInt8) throws(ChunkRejection) {
        if let digit = ASCII.hexDigit(byte) {
            guard sizeDigits < Self.longestSize else { throw .sizeTooLong }
            remaining = remaining &<< 4 | Int(digit)
            sizeDigits &+= 1
            return
        }
        guard byte != ASCII.lineFeed else { throw .bareLineFeed }
        let endsSize = byte == ASCII.carriageReturn || byte == ASCII.semicolon
        guard endsSize else { throw .invalidSize }
        guard sizeDigits > 0 else { throw .missingSize }
        if byte == ASCII.carriageReturn {
            state = .sizeLineFeed
        } else {
            state = .chunkExtension(ChunkExtension())
            try countExtension(byteCount: 1)
        }
    }

    private mutating func takeExtension(_ byte: UInt8, _ before: ChunkExtension) throws(ChunkRejection) {
        guard byte != ASCII.lineFeed else { throw .bareLineFeed }
        if byte == ASCII.carriageReturn {
            guard before.isComplete else { throw .malformedExtension }
            state = .sizeLineFeed
            return
        }
        var after = before
        try after.take(byte)
        try countExtension(byteCount: after.byteCount)
        state = .chunkExtension(after)
    }

    /// Counts one byte of extensions. They are limited because they are dropped: a peer could use them to cause work
    /// that has no effect.
    private mutating func countExtension(byteCount: Int) throws(ChunkRejection) {
        extensionBytes &+= 1
        guard byteCount <= limits.chunkExtension else { throw .extensionTooLong }
        guard extensionBytes <= limits.chunkExtensions else { throw .tooManyExtensionBytes }
    }

    private mutating func takeSizeLineFeed(_ byte: UInt8) throws(ChunkRejection) {
        guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
        state = remaining == 0 ? .trailers(TrailerSection()) : .data
    }
}
