/// The canonical form of a request path. Paths are matched and forwarded in this form.
///
/// Paths that two readers may understand differently are refused. Escapes of unreserved characters (RFC 3986 §2.3) are
/// decoded, other escapes get upper-case digits (§6.2.2.1), and segments are compared decoded. UTF-8 and invalid
/// characters that clients nevertheless send are treated like their escapes, so that all servers behind the gateway
/// understand them alike. A value is reused for many requests. It keeps its storage, so that a path needs no allocation
/// once the storage has grown.
///
/// Path parameters (`;` or `%3B` and the rest of the segment) are reported by `hasParameters`, not refused. A segment
/// is matched without them and forwarded with them, because a reader that supports them takes `/admin;x=1` for
/// `/admin`.
///
/// An encoded slash (`%2F`) is refused unless the caller keeps it. Then it is a part of its segment, and
/// `hasEncodedSlashes` reports it. The caller must also check the path's other readings, which `decodedReadings()`
/// returns. With `.opaque`, a `%25` before two digits is a part of its segment too, and `hasDoubleEncoding` reports it.
/// The caller must check that path with `judgeDecodings()`.
public struct RequestPath: Sendable {
    /// Length limit of a path in bytes. Longer ones are refused unread.
    public static let longestPath = 1 << 20

    struct Segment: Sendable {
        /// Offset of the segment's "/" in `canonical`.
        var slash: UInt32
        /// Offset of the decoded bytes: in `decoded` if the segment has escapes, otherwise in `canonical`.
        var start: UInt32
        /// Offset at which the name ends. Path parameters, if any, begin here.
        var nameEnd: UInt32
        var end: UInt32
        var holdsEscapes: Bool
        /// Hash of the decoded name.
        var hash: UInt64
    }

    /// The path in canonical form, as it is forwarded. "/" for an empty path.
    public private(set) var canonical: [UInt8] = [UInt8(ascii: "/")]

    /// True if the path has a `;` or `%3B`.
    public private(set) var hasParameters = false

    /// True if the path has a `%2F`.
    public private(set) var hasEncodedSlashes = false

    /// True if a segment still has escapes after decoding, like `%252F`. A second decoding would change it.
    public private(set) var hasDoubleEncoding = false

    /// True if the path ends with a slash. False for "/", which has no segments.
    public private(set) var trailingSlash = false

    /// Offset in the received path of the refused byte or segment. Only valid after a rejection.
    public private(set) var faultOffset = 0

    private var encodedSlashes = EncodedSlashes.refuse
    /// True if two slashes in a row enclose an empty segment. Only in a reading made by `decodedReadings()`.
    private var keepsEmptySegments = false
    private var decoded: [UInt8] = []
    private(set) var segments: [Segment] = []
    private let secret = KeyedHash.secret

    public init() {}

    /// Parses a reading of another path, in which two slashes in a row enclose an empty segment.
    init(withEmptySegments text: Span<UInt8>) throws(PathRejection) {
        keepsEmptySegments = true
        try canonicalize(text)
    }

    var hasEmptySegments: Bool { segments.contains { $0.range.isEmpty } }

    /// True if the segment is empty: its slash is followed by another slash or the end.
    func isEmptySegment(at index: Int) -> Bool { segment(at: index)?.isEmpty == true }

    /// Number of segments. The empty one after a trailing slash is not counted.
    public var segmentCount: Int { segments.count }

    /// Converts a path to its canonical form, which is at most three times as long.
    ///
    /// After a rejection, the value holds a part of the path and must not be used before the next success.
    ///
    /// - Parameters:
    ///   - path: the path of the target without its query. An empty path counts as "/".
    ///   - encodedSlashes: the treatment of `%2F`, and of `%25` before two digits.
    public mutating func canonicalize(_ path: Span<UInt8>, encodedSlashes: EncodedSlashes = .refuse)
        throws(PathRejection)
    {
        removeAll()
        self.encodedSlashes = encodedSlashes
        guard path.count <= Self.longestPath else { throw .tooLong }
        guard path.count > 1 else {
            guard path.isEmpty || path[0] == UInt8(ascii: "/") else { throw .notAbsolute }
            canonical.append(UInt8(ascii: "/"))
            return
        }
        guard path[0] == UInt8(ascii: "/") else { throw .notAbsolute }
        try appendSegments(of: path)
    }

    /// Releases the storage, for an idle connection.
    public mutating func releaseStorage() {
        self = RequestPath()
    }

    private mutating func removeAll() {
        canonical.removeAll(keepingCapacity: true)
        decoded.removeAll(keepingCapacity: true)
        segments.removeAll(keepingCapacity: true)
        hasParameters = false
        hasEncodedSlashes = false
        hasDoubleEncoding = false
        trailingSlash = false
        faultOffset = 0
    }

    // MARK: Reading

    /// The decoded bytes of a segment, including its parameters. Nil if the path has no such segment.
    public func segment(at index: Int) -> ArraySlice<UInt8>? {
        guard segments.indices.contains(index) else { return nil }
        return bytes(segments[index].range, of: segments[index])
    }

    /// The decoded bytes of a segment without its parameters, which patterns are compared with. Nil if the path has no
    /// such segment.
    public func segmentName(at index: Int) -> ArraySlice<UInt8>? {
        guard segments.indices.contains(index) else { return nil }
        return bytes(segments[index].name, of: segments[index])
    }

    private func bytes(_ range: Range<Int>, of segment: Segment) -> ArraySlice<UInt8> {
        // in bounds: a segment's range is of the text that it was read into
        segment.holdsEscapes ? decoded[range] : canonical[range]
    }

    /// Offset in `canonical` of the rest of the path after `count` leading segments: at a "/" or at the end.
    ///
    /// With the number of the place's segments, this is the offset at which to cut a path whose prefix is stripped. The
    /// place's segments are removed with their parameters. An empty rest means "/".
    public func suffixStart(afterSegments count: Int) -> Int {
        guard count > 0 else { return 0 }
        guard count < segments.count else { return trailingSlash ? canonical.count &- 1 : canonical.count }
        return Int(segments[count].slash)
    }

    /// The node that an edge leads to from `node` over the segment at `index`. Nil if there is no such edge.
    func child(of node: Int32, over index: Int, in edges: EdgeTable) -> Int32? {
        // in bounds: callers go from 0 up to `segmentCount`
        let segment = segments[index]
        guard segment.holdsEscapes else {
            return edges.target(from: node, over: canonical.span.extracting(segment.name), hash: segment.hash)
        }
        return edges.target(from: node, over: decoded.span.extracting(segment.name), hash: segment.hash)
    }

    /// The children that the segment at `index` leads to over its literal parts. Nil if there are none.
    func children(over index: Int, _ shape: PartialEdges.Shape, in edges: PartialEdges) -> PartialEdges.Children? {
        // in bounds: callers go from 0 up to `segmentCount`
        let segment = segments[index]
        guard segment.holdsEscapes else {
            return edges.children(shape, over: canonical.span.extracting(segment.name))
        }
        return edges.children(shape, over: decoded.span.extracting(segment.name))
    }

    // MARK: One pass over the path

    private mutating func appendSegments(of path: Span<UInt8>) throws(PathRejection) {
        canonical.reserveCapacity(path.count)
        canonical.append(UInt8(ascii: "/"))
        var open = OpenSegment(slash: 0, received: 0)
        var index = appendPlain(of: path, from: 1)
        while index < path.count {
            faultOffset = index
            switch path[index] {
            case UInt8(ascii: "/"):
                try close(open)
                open = OpenSegment(slash: canonical.count, received: index)
                canonical.append(UInt8(ascii: "/"))
            case UInt8(ascii: "%"):
                try appendEscape(of: path, at: index, to: &open)
                index &+= 2
            case UInt8(ascii: ";"):
                open.hasParameters = true
                canonical.append(UInt8(ascii: ";"))
            case let byte where PathCharacters.standsForItsEscape(byte):
                open.holdsEscapes = true
                PathCharacters.appendEscape(of: byte, to: &canonical)
            case let byte: throw PathCharacters.rejection(of: byte)
            }
            index = appendPlain(of: path, from: index &+ 1)
        }
        try closeLast(open)
    }

    /// Appends the bytes that need no escape and returns the offset after them.
    private mutating func appendPlain(of path: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < path.count, PathCharacters.isPlain(path[end]) { end &+= 1 }
        guard end > start else { return end }
        canonical.append(addingCapacity: end &- start) { bytes in
            for index in start..<end { bytes.append(path[index]) }
        }
        return end
    }

    private mutating func appendEscape(of path: Span<UInt8>, at index: Int, to open: inout OpenSegment)
        throws(PathRejection)
    {
        guard index &+ 2 < path.count, let byte = PathCharacters.byte(path[index &+ 1], path[index &+ 2]) else {
            throw .invalidEscape
        }
        switch byte {
        case UInt8(ascii: "/"):
            guard encodedSlashes != .refuse else { throw .encodedSlash }
            hasEncodedSlashes = true
        case UInt8(ascii: "\\"): throw .encodedBackslash
        case 0x00...0x1F, 0x7F: throw .controlByte
        default: break
        }
        guard !PathCharacters.isUnreserved(byte) else { return canonical.append(byte) }
        if byte == UInt8(ascii: ";") { open.hasParameters = true }
        open.holdsEscapes = true
        PathCharacters.appendEscape(of: byte, to: &canonical)
    }

    private mutating func closeLast(_ open: OpenSegment) throws(PathRejection) {
        guard open.slash &+ 1 < canonical.count else {
            trailingSlash = !segments.isEmpty
            return
        }
        try close(open)
    }

    private mutating func close(_ open: OpenSegment) throws(PathRejection) {
        faultOffset = open.received &+ 1
        let written = open.slash &+ 1..<canonical.count
        if open.holdsEscapes {
            let range = try decode(written)
            segments.append(try segment(open, at: range, of: decoded.span))
        } else {
            segments.append(try segment(open, at: written, of: canonical.span))
        }
        if open.hasParameters { hasParameters = true }
    }

    private func segment(_ open: OpenSegment, at range: Range<Int>, of storage: Span<UInt8>) throws(PathRejection)
        -> Segment
    {
        let bytes = storage.extracting(range)
        let name = open.hasParameters ? bytes.extracting(first: PathCharacters.countBeforeParameters(bytes)) : bytes
        if !(keepsEmptySegments && bytes.isEmpty) { try Self.judge(name) }
        return Segment(
            slash: UInt32(truncatingIfNeeded: open.slash),
            start: UInt32(truncatingIfNeeded: range.lowerBound),
            nameEnd: UInt32(truncatingIfNeeded: range.lowerBound &+ name.count),
            end: UInt32(truncatingIfNeeded: range.upperBound),
            holdsEscapes: open.holdsEscapes,
            hash: KeyedHash.hash(name, secret: secret),
        )
    }

    /// Appends the decoded bytes of a segment with escapes to `decoded` and returns their range.
    private mutating func decode(_ written: Range<Int>) throws(PathRejection) -> Range<Int> {
        let start = decoded.count
        var index = written.lowerBound
        while index < written.upperBound {
            let byte = canonical[index]
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                index &+= 1
                continue
            }
            // Complete: the canonical form has only complete escapes.
            decoded.append(PathCharacters.byte(canonical[index &+ 1], canonical[index &+ 2]) ?? 0)
            index &+= 3
        }
        // "%25" before two digits is only detected here, because the digits may themselves have been escapes:
        // "%25%32e".
        if PathCharacters.holdsEscape(decoded.span.extracting(start..<decoded.count)) {
            guard encodedSlashes == .opaque else { throw .doubleEncoding }
            hasDoubleEncoding = true
        }
        try Self.judgeEncoding(decoded.span.extracting(start..<decoded.count))
        return start..<decoded.count
    }

    private static func judgeEncoding(_ bytes: Span<UInt8>) throws(PathRejection) {
        // Overlong forms and surrogates are not well-formed (RFC 3629 §3).
        do {
            _ = try UTF8Span(validating: bytes)
        } catch {
            throw .notUTF8
        }
    }

    /// Refuses a segment that another reader may understand differently. A reader that removes path parameters sees
    /// "..;x" as "..", and "/;x/" as "//".
    private static func judge(_ name: Span<UInt8>) throws(PathRejection) {
        switch name.count {
        case 0: throw .emptySegment
        case 1 where name[0] == UInt8(ascii: "."): throw .dotSegment
        case 2 where name[0] == UInt8(ascii: ".") && name[1] == UInt8(ascii: "."): throw .dotSegment
        default: break
        }
    }
}

extension RequestPath.Segment {
    var range: Range<Int> { Int(start)..<Int(end) }
    var name: Range<Int> { Int(start)..<Int(nameEnd) }
}

/// A segment whose end was not reached yet.
private struct OpenSegment {
    /// Offset of its "/" in the canonical form.
    let slash: Int
    /// Offset of its "/" in the received path.
    let received: Int
    var holdsEscapes = false
    var hasParameters = false
}
