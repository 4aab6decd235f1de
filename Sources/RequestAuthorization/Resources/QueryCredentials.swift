import NetworkNames

/// Search for an `access_token` among the parameters of a query (RFC 6750 §2.3). Bearward never accepts a token from
/// there.
enum QueryCredentials {
    private static let name: [UInt8] = Array("access_token".utf8)

    /// True if a parameter has the name `access_token` as a lax application may read it.
    ///
    /// The name may be in any case, percent-encoded (`%u005f` too), after spaces, brackets and `?`, or an array
    /// (`access_token[]`). PHP also reads `.`, `[` and a space as `_`.
    static func arePresent(in query: Span<UInt8>) -> Bool {
        firstParameter(in: query, from: 0) != nil
    }

    /// Replaces the value of each `access_token` parameter by `***`, in the query and the fragment of the URL.
    static func masked(_ url: String) -> String {
        let bytes = Array(url.utf8)
        var shown: [UInt8] = []
        var copied = 0
        var start = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
        while let parameter = firstParameter(in: bytes.span, from: start) {
            if let mark = bytes[parameter].firstIndex(of: UInt8(ascii: "=")) {
                shown += bytes[copied...mark] + Array("***".utf8)
                copied = parameter.upperBound
            }
            start = parameter.upperBound
        }
        return String(decoding: shown + bytes[copied...], as: UTF8.self)
    }

    /// Range of the first `access_token` parameter that begins at an offset or after it. Nil if there is none.
    private static func firstParameter(in text: Span<UInt8>, from offset: Int) -> Range<Int>? {
        var start = offset
        while start <= text.count {
            var end = start
            while end < text.count, !isSeparator(text[end]) { end &+= 1 }
            if isNamed(text.extracting(start..<end)) { return start..<end }
            start = end &+ 1
        }
        return nil
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "#")
    }

    /// True if the text before `=` decodes to `access_token`.
    private static func isNamed(_ parameter: Span<UInt8>) -> Bool {
        var index = 0
        while let (byte, width) = decodedByte(of: parameter, at: index), isPassedOver(byte) { index &+= width }
        var opensBracket = false
        for expected in name {
            guard let (byte, width) = decodedByte(of: parameter, at: index), isRead(byte, as: expected) else {
                return false
            }
            if byte == UInt8(ascii: "[") { opensBracket = true }
            index &+= width
        }
        guard index < parameter.count, parameter[index] != UInt8(ascii: "=") else { return true }
        guard let (byte, _) = decodedByte(of: parameter, at: index) else { return false }
        // A reader of C strings ignores everything after a NUL. Every reader takes `access[token]` for an element of
        // `access`.
        return byte == UInt8(ascii: "[") || byte == 0 || byte == UInt8(ascii: "]") && !opensBracket
    }

    /// True if a reader skips this byte before a name: a space in PHP, a bracket in Rack and qs, a `?` if the query is
    /// split off twice.
    private static func isPassedOver(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "?")
    }

    private static func isRead(_ byte: UInt8, as expected: UInt8) -> Bool {
        if ASCII.lowercased(byte) == expected { return true }
        guard expected == UInt8(ascii: "_") else { return false }
        return byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || isSpace(byte)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "+") }

    /// The byte that a reader decodes at an index: literal, escaped, or escaped as IIS reads it (`%u005f`). Nil at the
    /// end of the text, and for an escape that is invalid or means no single byte.
    private static func decodedByte(of text: Span<UInt8>, at index: Int) -> (byte: UInt8, width: Int)? {
        guard index < text.count else { return nil }
        guard text[index] == UInt8(ascii: "%") else { return (text[index], 1) }
        if let byte = hexByte(of: text, at: index &+ 1) { return (byte, 3) }
        guard index &+ 1 < text.count, ASCII.lowercased(text[index &+ 1]) == UInt8(ascii: "u"),
            hexByte(of: text, at: index &+ 2) == 0,
            let byte = hexByte(of: text, at: index &+ 4)
        else { return nil }
        return (byte, 6)
    }

    private static func hexByte(of text: Span<UInt8>, at index: Int) -> UInt8? {
        guard index &+ 1 < text.count, let high = ASCII.hexDigit(text[index]),
            let low = ASCII.hexDigit(text[index &+ 1])
        else {
            return nil
        }
        return high &<< 4 | low
    }
}
