import NetworkNames

/// Looks for an `access_token` among the parameters of a query (RFC 6750 §2.3). Bearward never takes a token from there.
enum QueryCredentials {
    private static let name: [UInt8] = Array("access_token".utf8)

    /// Whether a parameter has that name as a lax application may read it: in any case, percent-encoded, behind spaces, as an array
    /// (`access_token[]`), and with what PHP reads as `_` in its place: `.`, `[` and a space.
    static func arePresent(in query: Span<UInt8>) -> Bool {
        var start = 0
        for index in 0...query.count where index == query.count || query[index] == UInt8(ascii: "&") || query[index] == UInt8(ascii: ";") {
            if isNamed(query.extracting(start..<index)) { return true }
            start = index &+ 1
        }
        return false
    }

    /// Whether what stands before `=` decodes to the name.
    private static func isNamed(_ parameter: Span<UInt8>) -> Bool {
        var index = 0
        while let (byte, width) = decodedByte(of: parameter, at: index), isSpace(byte) { index &+= width }
        for expected in name {
            guard let (byte, width) = decodedByte(of: parameter, at: index), isRead(byte, as: expected) else { return false }
            index &+= width
        }
        guard index < parameter.count, parameter[index] != UInt8(ascii: "=") else { return true }
        // What stands behind a NUL is not there for a reader of C strings.
        guard let (byte, _) = decodedByte(of: parameter, at: index) else { return false }
        return byte == UInt8(ascii: "[") || byte == 0
    }

    private static func isRead(_ byte: UInt8, as expected: UInt8) -> Bool {
        if ASCII.lowercased(byte) == expected { return true }
        guard expected == UInt8(ascii: "_") else { return false }
        return byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || isSpace(byte)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "+") }

    private static func decodedByte(of text: Span<UInt8>, at index: Int) -> (byte: UInt8, width: Int)? {
        guard index < text.count else { return nil }
        guard text[index] == UInt8(ascii: "%") else { return (text[index], 1) }
        guard index &+ 2 < text.count, let high = ASCII.hexDigit(text[index &+ 1]), let low = ASCII.hexDigit(text[index &+ 2]) else {
            return nil
        }
        return (high &<< 4 | low, 3)
    }
}
