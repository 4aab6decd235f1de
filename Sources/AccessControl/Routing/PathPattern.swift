/// Reason why a text is not a path pattern.
public enum PathPatternRejection: Error, Hashable, Sendable {
    /// The pattern or one of its literals has no canonical form.
    case path(PathRejection)
    /// A second `**` in one pattern.
    case severalDoubleWildcards
    /// A slash at the end, behind `**`.
    case slashAfterDoubleWildcard
    /// A `**` beside other text of a segment. A literal `*` is written `%2A`.
    case doubleWildcardInSegment(String)
    /// A second `*` or `{name}` in one segment.
    case severalWildcardsInSegment(String)
    /// A `{` or `}` that encloses no name. Literal ones are written `%7B` and `%7D`.
    case braceInSegment(String)
    /// A segment `.*`, which is any text in regular expressions. For one that begins with a point, write `%2E*`.
    case expression
    /// A `$` before `{name}`, as variables are written elsewhere. A literal one is written `%24`.
    case variableInSegment(String)
    /// A parameter name that is empty, begins with a digit, or has other characters than letters, digits, `_` and `-`.
    case parameterName(String)
    /// The same parameter name twice.
    case duplicateParameter(String)
    /// More segments than `PathPattern.mostSegments`.
    case tooManySegments
}

/// The path of a rule: segments that are literals, `{name}`, `*` or text beside one of these, and at most one `**`.
///
/// Literals are brought into the canonical form of `RequestPath` and stored decoded. A trailing slash is kept, because
/// a rule may be meant only for the path with the slash.
public struct PathPattern: Sendable, Hashable, CustomStringConvertible {
    /// Limit of the number of segments in a pattern. It bounds the depth of a lookup.
    public static let mostSegments = 256

    /// One segment of a pattern.
    public enum Segment: Sendable, Hashable {
        /// A segment with exactly these decoded bytes.
        case literal([UInt8])
        /// A segment with these bytes at its beginning and end.
        case partial(PartialSegment)
        /// Any single segment, with a name.
        case parameter(String)
        /// Any single segment.
        case wildcard
    }

    /// The segments from left to right, up to a `**`.
    public let segments: [Segment]

    /// True if the pattern has a `**`, which matches zero or more segments.
    public let coversRest: Bool

    /// The segments behind `**`, from left to right. They match the last segments of a path.
    public let tail: [Segment]

    /// True if the pattern was written with a slash at its end. False for "/".
    public let trailingSlash: Bool

    /// True if a literal has a `;`. A rule with one never matches, because segments are matched without their path
    /// parameters.
    public let hasParameters: Bool

    /// Reads a pattern such as `/orders/{id}/*`, `/orders/{id}:cancel`, `/orders/**` or `/**/healthz`.
    public init(_ text: String) throws(PathPatternRejection) {
        guard text.utf8.first == UInt8(ascii: "/") else { throw .path(.notAbsolute) }
        // Split at bytes: a combining character must not hide the slash before it.
        var pieces = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        trailingSlash = pieces.count > 1 && pieces.last == ""
        if pieces.last == "" { pieces.removeLast() }
        guard !trailingSlash || pieces.last != "**" else { throw .slashAfterDoubleWildcard }
        guard pieces.count - (pieces.contains("**") ? 1 : 0) <= Self.mostSegments else { throw .tooManySegments }
        let rest = pieces.firstIndex(of: "**")
        coversRest = rest != nil
        segments = try Self.segments(pieces[..<(rest ?? pieces.endIndex)])
        tail = try Self.segments(pieces[(rest.map { $0 + 1 } ?? pieces.endIndex)...])
        hasParameters = (segments + tail).contains { $0.hasParameters }
        try Self.judgeNames((segments + tail).compactMap(\.name))
    }

    /// Makes a pattern without a slash at its end.
    init(segments: [Segment], coversRest: Bool, tail: [Segment]) {
        self.segments = segments
        self.coversRest = coversRest
        self.tail = tail
        trailingSlash = false
        hasParameters = (segments + tail).contains { $0.hasParameters }
    }

    /// The names of the parameters whose value can be read, from left to right: each is a whole segment before `**`.
    public var parameterNames: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The names that stand beside other text or behind `**`, from left to right. They have no value.
    public var namesWithoutValue: [String] {
        let partial = segments.compactMap { if case .partial(let segment) = $0 { segment.name } else { nil } }
        return partial + tail.compactMap(\.name)
    }

    /// Number of segments, without a `**`.
    public var segmentCount: Int { segments.count + tail.count }

    /// True if the pattern has a wildcard: `{name}`, `*` or `**`.
    public var coversAnySegment: Bool {
        coversRest || segments.contains { if case .literal = $0 { false } else { true } }
    }

    /// True if a segment of the pattern has literal text.
    public var hasLiteral: Bool { (segments + tail).contains { $0.hasLiteral } }

    /// True if the pattern has a segment with text beside a wildcard, or segments behind `**`.
    public var hasParts: Bool {
        !tail.isEmpty || segments.contains { if case .partial = $0 { true } else { false } }
    }

    /// The index of the pattern's segment that is the parameter with this name. Nil if there is none.
    public func position(ofParameter name: String) -> Int? {
        segments.firstIndex(of: .parameter(name))
    }

    /// The pattern in its canonical spelling.
    public var description: String {
        var text = ""
        for segment in segments { text += "/" + segment.description }
        if coversRest { text += "/**" }
        for segment in tail { text += "/" + segment.description }
        return trailingSlash || text.isEmpty ? text + "/" : text
    }

    private static func judgeNames(_ names: [String]) throws(PathPatternRejection) {
        var seen: Set<String> = []
        for name in names {
            guard seen.insert(name).inserted else { throw .duplicateParameter(name) }
        }
    }

    private static func segments(_ pieces: ArraySlice<Substring>) throws(PathPatternRejection) -> [Segment] {
        var segments: [Segment] = []
        for piece in pieces { segments.append(try Segment(piece)) }
        return segments
    }
}

extension PathPattern.Segment: CustomStringConvertible {
    var hasParameters: Bool {
        switch self {
        case .literal(let bytes): bytes.contains(UInt8(ascii: ";"))
        case .partial(let segment): segment.hasParameters
        case .parameter, .wildcard: false
        }
    }

    var hasLiteral: Bool {
        switch self {
        case .literal, .partial: true
        case .parameter, .wildcard: false
        }
    }

    /// Name of the segment's wildcard. Nil if it has none.
    var name: String? {
        switch self {
        case .parameter(let name): name
        case .partial(let segment): segment.name
        case .literal, .wildcard: nil
        }
    }

    public var description: String {
        switch self {
        case .literal(let bytes): PathLiteral.description(of: bytes)
        case .partial(let segment): segment.description
        case .parameter(let name): "{\(name)}"
        case .wildcard: "*"
        }
    }
}
