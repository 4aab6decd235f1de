import NetworkNames

/// Segments of a path that other programs read as patterns, and that match only themselves here.
///
/// A character that is written as an escape is meant as it is, so `%3Aid` is none of them.
struct PatternLookalikes {
    /// As the file spells them, in their order.
    private let segments: [Substring]

    /// - Parameter path: from its first slash, as the file spells it.
    /// - Returns: nil if the path has none.
    init?(in path: Substring) {
        // Over bytes: a combining character must not hide the slash before it.
        let pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        segments = pieces.enumerated().filter { Self.isLookalike($0.element, isLast: $0.offset == pieces.count - 1) }
            .map(\.element)
        guard !segments.isEmpty else { return nil }
    }

    /// Sentence that says what the segments are.
    var message: String {
        let names = segments.map { "`\($0)`" }.joined(separator: " and ")
        return segments.count == 1
            ? "\(names) is a literal here, and matches only itself"
            : "\(names) are literals here, and match only themselves"
    }

    /// The segments as they are written where they are meant.
    var escaped: String { segments.map { "`\(Self.escaped($0))`" }.joined(separator: " and ") }

    /// Text to write in a rule where any text is meant.
    var replacement: String {
        if segments.contains(where: Self.endsList) { return "a rule for each path" }
        return segments.map { $0 == Self.ellipsis ? "`**` at the end" : "`{\(Self.name(in: $0))}`" }.joined(
            separator: " and ")
    }

    // MARK: Reading

    /// Everything below, as Go and many documents write it.
    private static let ellipsis: Substring = "..."

    private static func isLookalike(_ segment: Substring, isLast: Bool) -> Bool {
        // `{name}`, `*` and `**`: with these characters nothing else is a path.
        guard !segment.utf8.contains(where: { [UInt8(ascii: "{"), UInt8(ascii: "*")].contains($0) }) else {
            return false
        }
        return segment.utf8.contains(where: isOfExpressions) || hasParameter(segment) || segment == ellipsis
            || !isLast && endsList(segment)
    }

    /// Whether a character is one of regular expressions, or of the names that routers take out of a path. `^` and `|`
    /// are in no path at all.
    private static func isOfExpressions(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "+"),
            UInt8(ascii: "$"):
            true
        default: false
        }
    }

    /// Whether `:name` begins the segment, or stands behind a separator as in `:from-:to`; `things:purge` is no such
    /// name.
    private static func hasParameter(_ segment: Substring) -> Bool {
        let pieces = ("/" + segment).utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return zip(pieces, pieces.dropFirst()).contains { before, name in
            guard let last = before.last, let first = name.first else { return false }
            return !isOfNames(last) && isOfNames(first) && !ASCII.isDigit(first)
        }
    }

    /// Whether the segment is the end of one path in a list of them: `/a,/b`.
    private static func endsList(_ segment: Substring) -> Bool { segment.utf8.last == UInt8(ascii: ",") }

    private static func isOfNames(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    // MARK: Writing

    /// The name that the segment is made of, if it is made of one: `id` for `:id` and `[id]`.
    private static func name(in segment: Substring) -> String {
        let words = segment.utf8.split { !ASCII.isLetter($0) && !ASCII.isDigit($0) && $0 != UInt8(ascii: "_") }
        guard let word = words.first, words.count == 1, let first = word.first, !ASCII.isDigit(first) else {
            return "name"
        }
        return String(Substring(word))
    }

    private static func escaped(_ segment: Substring) -> String {
        guard segment != ellipsis else { return "%2E.." }
        var bytes: [UInt8] = []
        for byte in segment.utf8 {
            guard isOfExpressions(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",") else {
                bytes.append(byte)
                continue
            }
            bytes += [UInt8(ascii: "%"), ASCII.upperCaseDigit(byte >> 4), ASCII.upperCaseDigit(byte & 0xF)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
