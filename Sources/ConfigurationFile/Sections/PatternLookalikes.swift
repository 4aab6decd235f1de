import NetworkNames

/// Segments of a path that other programs read as patterns. Here they match only themselves.
///
/// A segment with the character as an escape, such as `%3Aid`, is meant literally and is not included.
struct PatternLookalikes {
    /// Segments as the file spells them, in their order.
    private let segments: [Substring]

    /// Finds the segments.
    ///
    /// - Parameter path: path from its first slash, as the file spells it.
    /// - Returns: nil if the path has none.
    init?(in path: Substring) {
        // Split over bytes: a combining character must not hide the slash before it.
        let pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        segments = pieces.enumerated().filter { Self.isLookalike($0.element, isLast: $0.offset == pieces.count - 1) }
            .map(\.element)
        guard !segments.isEmpty else { return nil }
    }

    /// Warning about the segments, as a sentence.
    var message: String {
        let names = segments.map { "`\($0)`" }.joined(separator: " and ")
        return segments.count == 1
            ? "\(names) is a literal here, and matches only itself"
            : "\(names) are literals here, and match only themselves"
    }

    /// Segments with escapes, for operators who mean them literally.
    var escaped: String { segments.map { "`\(Self.escaped($0))`" }.joined(separator: " and ") }

    /// Advice on what to write in a rule that should match any text.
    var replacement: String {
        if segments.contains(where: Self.endsList) { return "a rule for each path" }
        return segments.map { $0 == Self.ellipsis ? "`**` at the end" : "`{\(Self.name(in: $0))}`" }.joined(
            separator: " and ")
    }

    // MARK: Reading

    /// Segment for everything below, as Go and many documents write it.
    private static let ellipsis: Substring = "..."

    private static func isLookalike(_ segment: Substring, isLast: Bool) -> Bool {
        // With `{` or `*`, only `{name}`, `*` and `**` are valid in a path; other uses are errors elsewhere.
        guard !segment.utf8.contains(where: { [UInt8(ascii: "{"), UInt8(ascii: "*")].contains($0) }) else {
            return false
        }
        return segment.utf8.contains(where: isOfExpressions) || hasParameter(segment) || segment == ellipsis
            || !isLast && endsList(segment)
    }

    /// True if the byte is used in regular expressions or in the parameters of routers. `^` and `|` are missing here,
    /// because they are not valid in a path.
    private static func isOfExpressions(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "+"),
            UInt8(ascii: "$"):
            true
        default: false
        }
    }

    /// True if the segment has a `:name` at its beginning or after a separator, as in `:from-:to`. `things:purge` has
    /// none.
    private static func hasParameter(_ segment: Substring) -> Bool {
        let pieces = ("/" + segment).utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return zip(pieces, pieces.dropFirst()).contains { before, name in
            guard let last = before.last, let first = name.first else { return false }
            return !isOfNames(last) && isOfNames(first) && !ASCII.isDigit(first)
        }
    }

    /// True if the segment ends a path in a list of paths, as in `/a,/b`.
    private static func endsList(_ segment: Substring) -> Bool { segment.utf8.last == UInt8(ascii: ",") }

    private static func isOfNames(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    // MARK: Writing

    /// Name inside a segment that consists of one name and signs: `id` for `:id` and `[id]`. Otherwise `name`.
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
