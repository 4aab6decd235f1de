import NetworkNames

/// The characters of a path (RFC 3986 §2.3, §3.3).
enum PathCharacters {
    /// Whether a byte stands for itself: the unreserved characters, `sub-delims` without ";", ":" and "@".
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

    /// Whether a byte counts as its escape: browsers and other clients send these as they are (WHATWG URL,
    /// "percent-encode sets").
    ///
    /// Bytes above 0x7F have to be UTF-8, which is judged with the segment.
    static func standsForItsEscape(_ byte: UInt8) -> Bool { byte >= 0x80 || isBracket(byte) || mayBePattern(byte) }

    static func isBracket(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") }

    /// Whether a byte may be meant as a pattern, or be a slip, in a file: `"`, `<`, `>`, `^`, a grave accent, `{`, `|`,
    /// `}`.
    static func mayBePattern(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "{")...UInt8(ascii: "}"):
            true
        default: false
        }
    }

    /// Reason why a byte is invalid in a path.
    static func rejection(of byte: UInt8) -> PathRejection {
        switch byte {
        case 0x00...0x1F, 0x7F: .controlByte
        case UInt8(ascii: "\\"): .backslash
        default: .forbiddenCharacter
        }
    }

    /// The byte that two hexadecimal digits spell; nil when one of them is no digit.
    static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = ASCII.hexDigit(high), let low = ASCII.hexDigit(low) else { return nil }
        return high << 4 | low
    }

    /// Whether a `%` stands before two hexadecimal digits.
    static func holdsEscape(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") && index &+ 2 < bytes.count {
            if byte(bytes[index &+ 1], bytes[index &+ 2]) != nil { return true }
        }
        return false
    }

    /// The text with each escape as the byte that it stands for; a `%` without two digits stays.
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

    /// Number of bytes of a segment before its path parameters.
    static func countBeforeParameters(_ segment: Span<UInt8>) -> Int {
        for index in segment.indices where segment[index] == UInt8(ascii: ";") { return index }
        return segment.count
    }
}
