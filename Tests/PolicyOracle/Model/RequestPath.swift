/// A path of a request, read in segments.
struct RequestPath: Hashable {
    /// Segments in escaped form, without their parameters.
    let segments: [String]
    let hasFinalSlash: Bool
    let hasParameters: Bool
    /// The whole path in escaped form.
    private let text: String

    /// Reads a path. Nil if two servers may read it differently, whatever the resource permits.
    init?(_ path: String) {
        let text = Self.escaped(path).replacing("%2f", with: "%2F")
        guard !["//", "%5C", "%5c", "\\"].contains(where: { text.contains($0) }), !Self.hasDots(text) else {
            return nil
        }
        self.init(text: text)
    }

    private init(text: String) {
        self.text = text
        var parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        hasFinalSlash = parts.last == ""
        if hasFinalSlash { parts.removeLast() }
        hasParameters = parts.contains { $0.contains(";") }
        segments = parts.map { String($0.prefix { $0 != ";" }) }
    }

    private static func hasDots(_ text: String) -> Bool {
        text.split(separator: "/").contains { [".", ".."].contains(decoded($0)) }
    }

    /// The text with the characters escaped that browsers send unescaped.
    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            byte < 0x80 && byte != UInt8(ascii: "|")
                ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    // MARK: Encoded slashes

    var hasEncodedSlash: Bool { text.contains("%2F") }

    /// True if there is a `%25` before two hexadecimal digits.
    var hasEncodedEscape: Bool { text != Self.decodingPercents(text) }

    /// True if a segment becomes several once decoded, or decoded twice.
    static func isOpaque(_ segment: String) -> Bool {
        segment.contains("%2F") || segment != decodingPercents(segment)
    }

    /// Every way in which other servers may read a path with kept encoded slashes: as it is, with `/` in their place,
    /// and then without empty segments. Nil if one of them has a segment `.` or `..`, or begins with `//`.
    var readings: [RequestPath]? {
        let decoded = text.replacing("%2F", with: "/")
        guard !decoded.hasPrefix("//"), !Self.hasDots(decoded) else { return nil }
        var short = decoded
        while short.contains("//") { short = short.replacing("//", with: "/") }
        return [self, RequestPath(text: decoded), RequestPath(text: short)]
    }

    /// True if a server that decodes the path once or twice could find more than segments in it.
    var isUnsafeDecoded: Bool {
        let once = Self.decoded(text[...])
        return [once, Self.decoded(once[...])].contains { decoded in
            decoded.hasPrefix("//") || decoded.contains("\\") || Self.hasDots(decoded)
                || decoded.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        }
    }

    /// The text with its escapes decoded.
    private static func decoded(_ text: Substring) -> String {
        var bytes = Array(text.utf8)[...]
        var decoded: [UInt8] = []
        while let byte = bytes.popFirst() {
            let digits = String(decoding: bytes.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                decoded.append(value)
                bytes = bytes.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// The text with each `%25` before two hexadecimal digits decoded to `%`.
    private static func decodingPercents(_ text: String) -> String {
        let parts = text.split(separator: "%25", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts[0])) { done, part in
            done + (part.prefix(2).allSatisfy(\.isHexDigit) && part.count >= 2 ? "%" : "%25") + part
        }
    }
}
