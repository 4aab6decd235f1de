import NetworkNames

/// Segments of a path that other programs read as patterns. Here they match only themselves, or text around one
/// wildcard.
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
        guard segments.contains(where: { Self.wildcard(in: $0) != nil }) else {
            return segments.count == 1
                ? "\(names) is a literal here, and matches only itself"
                : "\(names) are literals here, and match only themselves"
        }
        return "\(names): all but a `*` or `{name}` is a literal here, and matches only itself"
    }

    /// Segments with escapes, for operators who mean them literally.
    var escaped: String { segments.map { "`\(Self.escaped($0))`" }.joined(separator: " and ") }

    /// Advice on what to write in a rule that should match any text.
    var replacement: String {
        if segments.contains(where: Self.endsList) { return "a rule for each path" }
        return segments.map { Self.isCatchAll($0) ? "`**` at the end" : "`{\(Self.name(in: $0))}`" }.joined(
            separator: " and ")
    }

    // MARK: Reading

    /// Segment for everything below, as Go and many documents write it.
    private static let ellipsis: Substring = "..."

    private static func isLookalike(_ segment: Substring, isLast: Bool) -> Bool {
        guard let wildcard = wildcard(in: segment) else {
            let hasSign = segment.utf8.contains { isOfExpressions($0) || isParenthesis($0) }
            return hasSign || hasParameter(segment, after: "/") || segment == ellipsis || !isLast && endsList(segment)
        }
        guard segment != "**" else { return false }
        let (before, after) = (segment[..<wildcard.lowerBound], segment[wildcard.upperBound...])
        // Parentheses are no sign here: `Items({id})` means what it says.
        return segment.utf8.contains(where: isOfExpressions) || isAnyText(segment) || isCatchAll(segment)
            || hasParameter(before, after: "/") || hasParameter(after, after: "x") || !isLast && endsList(segment)
    }

    /// Range of the first wildcard, `*` or `{name}`. Nil if the segment has none.
    private static func wildcard(in segment: Substring) -> Range<Substring.Index>? {
        let bytes = segment.utf8
        guard let start = bytes.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "*") }) else {
            return nil
        }
        guard bytes[start] == UInt8(ascii: "{") else { return start..<bytes.index(after: start) }
        let close = bytes[start...].firstIndex(of: UInt8(ascii: "}"))
        return start..<(close.map(bytes.index(after:)) ?? bytes.endIndex)
    }

    /// True for a segment with `(.*`, which begins any text in a regular expression.
    private static func isAnyText(_ segment: Substring) -> Bool { segment.contains("(.*") }

    /// True for a segment that other programs take for everything below: `...` and `*path`. Here `*path` is one segment
    /// that ends with these letters.
    private static func isCatchAll(_ segment: Substring) -> Bool {
        guard segment != ellipsis else { return true }
        guard segment.utf8.first == UInt8(ascii: "*"), let first = segment.utf8.dropFirst().first else { return false }
        return ASCII.isLetter(first) && segment.utf8.dropFirst().allSatisfy(isOfNames)
    }

    /// True if the byte is used in regular expressions or in the parameters of routers. `^` and `|` are missing here,
    /// because they are not valid in a path.
    private static func isOfExpressions(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "+"), UInt8(ascii: "$"): true
        default: false
        }
    }

    private static func isParenthesis(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") }

    /// True if the text has a `:name` at its beginning or after a separator, as in `:from-:to`. `things:purge` has
    /// none.
    ///
    /// - Parameter before: character before the text.
    private static func hasParameter(_ text: Substring, after before: Character) -> Bool {
        let pieces = (String(before) + text).utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
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

    private static func isSign(_ byte: UInt8) -> Bool {
        isOfExpressions(byte) || isParenthesis(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",")
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
        guard !isAnyText(segment) else { return String(segment.replacing(".*", with: "%2E*")) }
        let isCatchAll = isCatchAll(segment)
        var bytes: [UInt8] = []
        for (index, byte) in segment.utf8.enumerated() {
            guard isSign(byte) || isCatchAll && index == 1 else {
                bytes.append(byte)
                continue
            }
            bytes += [UInt8(ascii: "%"), ASCII.upperCaseDigit(byte >> 4), ASCII.upperCaseDigit(byte & 0xF)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
