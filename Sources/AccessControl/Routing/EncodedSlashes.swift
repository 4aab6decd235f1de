/// Treatment of a path with an encoded slash (`%2F`). Each case permits more than the one before it.
public enum EncodedSlashes: String, Sendable, Hashable, CaseIterable {
    /// The path is refused.
    case refuse
    /// `%2F` is a part of its segment. The path must mean the same with "/" instead.
    case keep
    /// `%2F` and `%25` are parts of their segments. The upstream must not decode anything before it selects a resource.
    case opaque

    /// The case that permits the most. A path is parsed with it before its resource is known.
    public static func mostLenient(_ choices: [EncodedSlashes]) -> EncodedSlashes {
        allCases.last(where: choices.contains) ?? .refuse
    }
}

extension RequestPath {
    /// The path as understood by readers that decode `%2F` before they split it into segments. Empty for a path without
    /// `%2F`.
    ///
    /// `a%2F%2Fb` then has an empty segment, which some readers keep and others drop: both readings are returned. A
    /// `{name}` matches an empty segment like any other. A reading may have no canonical form: `a%2F..%2Fb` has a dot
    /// segment in it.
    ///
    /// - Parameter start: index of the first segment that is forwarded. If it is empty, the path is refused: it would
    ///   be forwarded with `//` at the beginning, and some readers would take the next segment for a host.
    public func decodedReadings(forwardedFrom start: Int = 0) throws(PathRejection) -> [RequestPath] {
        guard !hasDoubleEncoding else { throw .doubleEncoding }
        guard hasEncodedSlashes else { return [] }
        let text = decodingSlashes()
        let whole = try RequestPath(withEmptySegments: text.span)
        guard whole.hasEmptySegments else { return [whole] }
        guard !whole.isEmptySegment(at: start) else { throw .emptySegment }
        var collapsed = RequestPath()
        try collapsed.canonicalize(Self.collapsingSlashes(text).span)
        return [whole, collapsed]
    }

    /// Refuses a path that means something else to a reader that decodes it once or twice.
    ///
    /// A segment `.` or `..`, a `\`, a control character, and `//` at the beginning are refused. Not checked: which
    /// rule would match the decoded path.
    public func judgeDecodings() throws(PathRejection) {
        let once = PathCharacters.decodingEscapes(canonical)
        try Self.judgeDecoded(once)
        try Self.judgeDecoded(PathCharacters.decodingEscapes(once))
    }

    /// Index of the first segment that makes ``judgeDecodings()`` refuse the path, for messages. Nil if the path is not
    /// refused.
    public var misleadingSegment: Int? {
        // Decoding keeps slashes, so a refused sequence is always inside one segment. Only the first segment can make a
        // decoded path begin with "//".
        segments.indices.first { index in
            var once = Array((index == 0 ? "/" : "/x/").utf8)
            once.append(contentsOf: segment(at: index) ?? [])
            do {
                try Self.judgeDecoded(once)
                try Self.judgeDecoded(PathCharacters.decodingEscapes(once))
                return false
            } catch {
                return true
            }
        }
    }

    private static func judgeDecoded(_ text: [UInt8]) throws(PathRejection) {
        guard !text.starts(with: "//".utf8) else { throw .emptySegment }
        for byte in text {
            switch byte {
            case UInt8(ascii: "\\"): throw .encodedBackslash
            case 0x00...0x1F, 0x7F: throw .controlByte
            default: break
            }
        }
        for segment in text.split(separator: UInt8(ascii: "/")) {
            // A reader that removes path parameters sees "..;x" as "..".
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            guard !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) else { throw .dotSegment }
        }
    }

    private func decodingSlashes() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(canonical.count)
        var rest = canonical[...]
        while let byte = rest.first {
            // The canonical form has only complete escapes with upper-case digits. A path with "%252F" has no such
            // readings.
            let isSlash = rest.starts(with: Self.encodedSlash)
            text.append(isSlash ? UInt8(ascii: "/") : byte)
            rest = rest.dropFirst(isSlash ? Self.encodedSlash.count : 1)
        }
        return text
    }

    private static func collapsingSlashes(_ text: [UInt8]) -> [UInt8] {
        var collapsed: [UInt8] = []
        for byte in text where byte != UInt8(ascii: "/") || collapsed.last != byte { collapsed.append(byte) }
        return collapsed
    }

    private static let encodedSlash = Array("%2F".utf8)
}
