/// Treatment of a path with an encoded slash (`%2F`). Each case lets through what the one before it does, and more.
public enum EncodedSlashes: String, Sendable, Hashable, CaseIterable {
    /// The path has no canonical form.
    case refuse
    /// Part of its segment, if the path means the same with "/" instead.
    case keep
    /// Part of its segment, like `%25`: the upstream decodes nothing before it chooses what to serve.
    case opaque

    /// The one that lets the most through: a path is read by it before its resource is known.
    public static func mostLenient(_ choices: [EncodedSlashes]) -> EncodedSlashes {
        allCases.last(where: choices.contains) ?? .refuse
    }
}

extension RequestPath {
    /// The path as readers have it who decode `%2F` before splitting the path into segments; none for a path without
    /// `%2F`.
    ///
    /// `a%2F%2Fb` then has an empty segment, which some readers keep and others leave out: the path is read in both
    /// ways. A `{name}` matches an empty segment as any other. A reading may have no canonical form: `a%2F..%2Fb` has a
    /// dot segment in it.
    ///
    /// - Parameter start: which segment is the first that is forwarded. If it is empty, the forwarded path would begin
    ///   with `//`, and some readers would take what follows for a host.
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

    /// Refuses a path that leads elsewhere for a reader that decodes it once or twice.
    ///
    /// Refused are a segment `.` or `..`, a `\`, a control character, and `//` at the beginning. The rule that such a
    /// reader would find for any other path is not asked for.
    public func judgeDecodings() throws(PathRejection) {
        let once = PathCharacters.decodingEscapes(canonical)
        try Self.judgeDecoded(once)
        try Self.judgeDecoded(PathCharacters.decodingEscapes(once))
    }

    /// Index of the first segment for which ``judgeDecodings()`` refuses the path, for whoever tells of it. Nil if it
    /// refuses none.
    public var misleadingSegment: Int? {
        // A slash stays a slash, so what is refused stands within one segment; only the first can have a decoded path
        // begin with "//".
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
            // A reader that cuts path parameters sees "..;x" as "..".
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            guard !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) else { throw .dotSegment }
        }
    }

    private func decodingSlashes() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(canonical.count)
        var rest = canonical[...]
        while let byte = rest.first {
            // The canonical form holds whole escapes only, with upper-case digits; a path with "%252F" has no such
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
