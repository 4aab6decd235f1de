import NetworkNames

/// Classes of characters in a path (RFC 3986 §2.3, §3.3).
enum PathCharacters {
    /// True if the byte needs no escape: the unreserved characters, `sub-delims` without ";", ":" and "@".
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: "."),
            UInt8(ascii: "0")...UInt8(ascii: ":"),
            UInt8(ascii: "="), UInt8(ascii: "@")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// True if an unescaped byte is treated like its escape. Browsers and other clients send these bytes unescaped
    /// (WHATWG URL, "percent-encode sets").
    ///
    /// Bytes above 0x7F must be UTF-8, which is checked for the whole segment.
    static func standsForItsEscape(_ byte: UInt8) -> Bool { byte >= 0x80 || isBracket(byte) || mayBePattern(byte) }

    static func isBracket(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") }

    /// True if the byte in a configured path may be an attempt at a pattern, or a typo: `"`, `<`, `>`, `^`, a grave
    /// accent, `{`, `|`, `}`.
    static func mayBePattern(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "{")...UInt8(ascii: "}"):
            true
        default: false
        }
    }

    /// The reason why a byte is not allowed in a path.
    static func rejection(of byte: UInt8) -> PathRejection {
        switch byte {
        case 0x00...0x1F, 0x7F: .controlByte
        case UInt8(ascii: "\\"): .backslash
        default: .forbiddenCharacter
        }
    }

    /// The byte that two hexadecimal digits encode. Nil if either is not a digit.
    static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = ASCII.hexDigit(high), let low = ASCII.hexDigit(low) else { return nil }
        return high << 4 | low
    }

    /// True if the bytes have a `%` followed by two hexadecimal digits.
    static func holdsEscape(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") && index &+ 2 < bytes.count {
            if byte(bytes[index &+ 1], bytes[index &+ 2]) != nil { return true }
        }
        return false
    }

    /// The text with all escapes decoded. A `%` without two digits is kept.
    static func decodingEscapes(_ text: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = text[...]
        while let first = rest.popFirst() {
            let digits = rest.prefix(2)
            guard first == UInt8(ascii: "%"), digits.count == 2, let high = digits.first, let low = digits.last,
                let byte = byte(high, low)
            else {
                decoded.append(first)
                continue
            }
            decoded.append(byte)
            rest = rest.dropFirst(2)
        }
        return decoded
    }

    static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(ASCII.upperCaseDigit(byte >> 4))
        bytes.append(ASCII.upperCaseDigit(byte & 0xF))
    }

    /// Number of bytes in a segment before its path parameters.
    static func countBeforeParameters(_ segment: Span<UInt8>) -> Int {
        for index in segment.indices where segment[index] == UInt8(ascii: ";") { return index }
        return segment.count
    }
}
