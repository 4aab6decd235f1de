import NetworkNames

/// Byte classes of RFC 9110 §5.6 and the characters that the HTTP grammar names.
extension ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let numberSign: UInt8 = 0x23
    static let asterisk: UInt8 = 0x2A
    static let comma: UInt8 = 0x2C
    static let hyphen: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let questionMark: UInt8 = 0x3F
    static let openBracket: UInt8 = 0x5B
    static let backslash: UInt8 = 0x5C
    static let closeBracket: UInt8 = 0x5D
    static let underscore: UInt8 = 0x5F
    static let delete: UInt8 = 0x7F

    /// True if the byte is allowed in a token (RFC 9110 §5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    }

    /// True if the byte is allowed in a received request target: any visible character except `#`, or a byte above
    /// 0x7F.
    ///
    /// Browsers send characters like `|` and `{` unencoded, and some clients send UTF-8 (WHATWG URL, "percent-encode
    /// sets").
    @inline(__always)
    static func isReceivedTarget(_ byte: UInt8) -> Bool { byte > space && byte != delete && byte != numberSign }

    /// True if the byte is allowed in a forwarded path: visible, and not one of `"#<>\^`{|}`.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        contains(byte, low: 0xAFFF_FFF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFF)
    }

    /// True if the byte is a base64url digit (RFC 4648 §5).
    static func isBase64URL(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    @inline(__always)
    static func isOptionalWhitespace(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// The byte in lower case, or `-` for anything except a letter or digit. Readers that turn field names into
    /// variable names (CGI) see names like this.
    @inline(__always)
    static func folded(_ byte: UInt8) -> UInt8 {
        let letter = byte | 0x20
        return letter &- 0x61 < 26 ? letter : isDigit(byte) ? byte : hyphen
    }

    /// True if the byte is in the set of ASCII characters that the two words of 64 bits describe, one bit a character.
    @inline(__always)
    private static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        guard byte < 0x80 else { return false }
        return ((byte < 0x40 ? low : high) &>> UInt64(byte & 0x3F)) & 1 == 1
    }
}
