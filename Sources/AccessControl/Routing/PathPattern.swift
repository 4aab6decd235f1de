/// Reason why a text is not a path pattern.
public enum PathPatternRejection: Error, Hashable, Sendable {
    /// The pattern, or one of its literals, has no canonical form.
    case path(PathRejection)
    /// `**` stands anywhere but at the end.
    case doubleWildcardNotLast
    /// A `*` inside a segment; a literal one is written `%2A`.
    case wildcardInSegment(String)
    /// A `{` or `}` inside a segment; literal ones are written `%7B` and `%7D`.
    case braceInSegment(String)
    /// A parameter's name is empty or not made of letters, digits, `_` and `-`.
    case parameterName(String)
    /// One parameter name twice.
    case duplicateParameter(String)
    /// More segments than `PathPattern.mostSegments`.
    case tooManySegments
}

/// The path of a rule: segments that are literals, `{name}`, `*`, and as the last `**`.
///
/// Literals are brought to the form of `RequestPath` and kept decoded. A trailing slash is kept, because a rule may be
/// written for the path with the slash alone.
public struct PathPattern: Sendable, Hashable, CustomStringConvertible {
    /// The most segments of a pattern: a lookup goes no deeper.
    public static let mostSegments = 256

    /// One segment of a pattern.
    public enum Segment: Sendable, Hashable {
        /// Literal segment: its decoded bytes.
        case literal([UInt8])
        /// One whole segment, with a name.
        case parameter(String)
        /// One whole segment.
        case wildcard
    }

    /// From the left, without a `**` at the end.
    public let segments: [Segment]

    /// Whether the pattern ends with `**`: zero or more further segments.
    public let coversRest: Bool

    /// Whether the pattern was written with a slash at its end; false for "/".
    public let trailingSlash: Bool

    /// Whether a literal holds `;`: such a rule never matches, since segments are matched without their path
    /// parameters.
    public let hasParameters: Bool

    /// Reads a pattern such as `/orders/{id}/*` or `/orders/**`.
    public init(_ text: String) throws(PathPatternRejection) {
        guard text.utf8.first == UInt8(ascii: "/") else { throw .path(.notAbsolute) }
        // Over bytes: a combining character must not hide the slash before it.
        var pieces = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        trailingSlash = pieces.count > 1 && pieces.last == ""
        if pieces.last == "" { pieces.removeLast() }
        coversRest = pieces.last == "**" && !trailingSlash
        if coversRest { pieces.removeLast() }
        guard pieces.count <= Self.mostSegments else { throw .tooManySegments }
        var segments: [Segment] = []
        for piece in pieces { segments.append(try Self.segment(piece)) }
        self.segments = segments
        hasParameters = segments.contains { $0.hasParameters }
        try Self.judgeNames(parameterNames)
    }

    /// The names of the parameters, from the left.
    public var parameterNames: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// Number of segments of the pattern, without a `**` at its end.
    public var segmentCount: Int { segments.count }

    /// Whether it has a segment, or a rest, of any text.
    public var coversAnySegment: Bool {
        coversRest || segments.contains { if case .literal = $0 { false } else { true } }
    }

    /// Whether it has a segment of one text, so that a match says something of the path.
    public var hasLiteral: Bool {
        segments.contains { if case .literal = $0 { true } else { false } }
    }

    /// Index of the pattern's segment, from 0, that is the parameter of this name.
    public func position(ofParameter name: String) -> Int? {
        segments.firstIndex(of: .parameter(name))
    }

    /// The pattern in its canonical spelling.
    public var description: String {
        var text = ""
        for segment in segments { text += "/" + segment.description }
        if coversRest { return text + "/**" }
        return trailingSlash || text.isEmpty ? text + "/" : text
    }

    private static func judgeNames(_ names: [String]) throws(PathPatternRejection) {
        var seen: Set<String> = []
        for name in names {
            guard seen.insert(name).inserted else { throw .duplicateParameter(name) }
        }
    }

    private static func segment(_ piece: Substring) throws(PathPatternRejection) -> Segment {
        guard piece != "*" else { return .wildcard }
        guard piece != "**" else { throw .doubleWildcardNotLast }
        if piece.hasPrefix("{"), piece.hasSuffix("}"), piece.utf8.count > 1 {
            let name = piece.dropFirst().dropLast()
            guard isName(name) else { throw .parameterName(String(name)) }
            return .parameter(String(name))
        }
        guard !piece.utf8.contains(UInt8(ascii: "*")) else { throw .wildcardInSegment(String(piece)) }
        guard !piece.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
            throw .braceInSegment(String(piece))
        }
        do {
            return .literal(try PathLiteral.segment(piece))
        } catch {
            throw .path(error)
        }
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~") && PathCharacters.isUnreserved(byte)
        }
    }
}

extension PathPattern.Segment: CustomStringConvertible {
    var hasParameters: Bool {
        guard case .literal(let bytes) = self else { return false }
        return bytes.contains(UInt8(ascii: ";"))
    }

    public var description: String {
        switch self {
        case .literal(let bytes): PathLiteral.description(of: bytes)
        case .parameter(let name): "{\(name)}"
        case .wildcard: "*"
        }
    }
}
