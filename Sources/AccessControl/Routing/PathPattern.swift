/// Reason why a text is not a path pattern.
public enum PathPatternRejection: Error, Hashable, Sendable {
    /// The pattern or one of its literals has no canonical form.
    case path(PathRejection)
    /// `**` that is not the last segment.
    case doubleWildcardNotLast
    /// A `*` inside a segment. A literal one is written `%2A`.
    case wildcardInSegment(String)
    /// A `{` or `}` inside a segment. Literal ones are written `%7B` and `%7D`.
    case braceInSegment(String)
    /// A parameter name that is empty, begins with a digit, or has other characters than letters, digits, `_` and `-`.
    case parameterName(String)
    /// The same parameter name twice.
    case duplicateParameter(String)
    /// More segments than `PathPattern.mostSegments`.
    case tooManySegments
}

/// The path of a rule: segments that are literals, `{name}` or `*`, and optionally `**` at the end.
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
        /// Any single segment, with a name.
        case parameter(String)
        /// Any single segment.
        case wildcard
    }

    /// The segments from left to right, without a `**` at the end.
    public let segments: [Segment]

    /// True if the pattern ends with `**`, which matches zero or more further segments.
    public let coversRest: Bool

    /// True if the pattern was written with a slash at its end. False for "/".
    public let trailingSlash: Bool

    /// True if a literal has a `;`. A rule with one never matches, because segments are matched without their path
    /// parameters.
    public let hasParameters: Bool

    /// Reads a pattern such as `/orders/{id}/*` or `/orders/**`.
    public init(_ text: String) throws(PathPatternRejection) {
        guard text.utf8.first == UInt8(ascii: "/") else { throw .path(.notAbsolute) }
        // Split at bytes: a combining character must not hide the slash before it.
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

    /// The names of the parameters, from left to right.
    public var parameterNames: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// Number of segments, without a `**` at the end.
    public var segmentCount: Int { segments.count }

    /// True if the pattern has a `{name}`, `*` or `**`.
    public var coversAnySegment: Bool {
        coversRest || segments.contains { if case .literal = $0 { false } else { true } }
    }

    /// True if the pattern has a literal segment.
    public var hasLiteral: Bool {
        segments.contains { if case .literal = $0 { true } else { false } }
    }

    /// The index of the pattern's segment that is the parameter with this name. Nil if there is none.
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
