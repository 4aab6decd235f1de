extension Authority {
    /// Reads `host[:port]` (RFC 3986 §3.2.2) without user information; nil for anything that is not exactly that.
    ///
    /// Registered names are of letters, digits, `-`, `.` and `_`. Percent escapes and zone identifiers are refused.
    static func parse(_ range: Range<Int>, in bytes: Span<UInt8>) -> Authority? {
        // in bounds: the range is one of these bytes
        guard let first = range.first else { return nil }
        let hostEnd = bytes[first] == ASCII.openBracket ? addressEnd(range, in: bytes) : nameEnd(range, in: bytes)
        guard let hostEnd else { return nil }
        let host = range.lowerBound..<hostEnd
        if hostEnd == range.upperBound { return Authority(bytes: range, host: host, port: nil) }
        guard bytes[hostEnd] == ASCII.colon, let port = port(hostEnd &+ 1..<range.upperBound, in: bytes) else { return nil }
        return Authority(bytes: range, host: host, port: port)
    }

    /// Whether both mean the same host and, with the scheme's default for an absent one, the same port.
    func agrees(with other: Authority, defaultPort: Int, in bytes: Span<UInt8>) -> Bool {
        (port ?? defaultPort) == (other.port ?? defaultPort)
            && bytes.extracting(host).equals(bytes.extracting(other.host), ignoringCase: ())
    }

    private static let longestName = 255

    private static func addressEnd(_ range: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        var index = range.lowerBound &+ 1
        while index < range.upperBound, bytes[index] != ASCII.closeBracket { index &+= 1 }
        guard index < range.upperBound, IPAddressSyntax.isIPv6(bytes.extracting(range.lowerBound &+ 1..<index)) else { return nil }
        return index &+ 1
    }

    private static func nameEnd(_ range: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        var index = range.lowerBound
        var labelStart = index
        var lastLabel = 0..<0
        while index < range.upperBound, bytes[index] != ASCII.colon {
            let byte = bytes[index]
            if byte == ASCII.dot {
                guard index > labelStart else { return nil }
                lastLabel = labelStart..<index
                labelStart = index &+ 1
            } else {
                guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == ASCII.hyphen || byte == ASCII.underscore else { return nil }
            }
            index &+= 1
        }
        let name = range.lowerBound..<index
        guard !name.isEmpty, name.count <= longestName else { return nil }
        if labelStart < index { lastLabel = labelStart..<index }
        // "127.1" and "0x7f.1" are addresses to some readers and names to others.
        if IPAddressSyntax.isNumber(bytes.extracting(lastLabel)), !IPAddressSyntax.isIPv4(bytes.extracting(name)) { return nil }
        return index
    }

    private static func port(_ digits: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        // in bounds: the range is one of these bytes
        guard let first = digits.first, digits.count <= 5, bytes[first] != ASCII.zero else { return nil }
        var port = 0
        for index in digits {
            guard ASCII.isDigit(bytes[index]) else { return nil }
            port = port &* 10 &+ Int(bytes[index] &- ASCII.zero)
        }
        return port <= 65_535 ? port : nil
    }
}

/// The written forms of IP addresses (RFC 3986 §3.2.2).
enum IPAddressSyntax {
    /// Four decimal numbers up to 255, none with a leading zero.
    static func isIPv4(_ text: Span<UInt8>) -> Bool {
        var octets = 0
        var digits = 0
        var value = 0
        for index in text.indices {
            let byte = text[index]
            if byte == ASCII.dot {
                guard digits > 0 else { return false }
                octets &+= 1
                digits = 0
                value = 0
            } else {
                guard ASCII.isDigit(byte), digits == 0 || value > 0, digits < 3 else { return false }
                value = value &* 10 &+ Int(byte &- ASCII.zero)
                guard value <= 255 else { return false }
                digits &+= 1
            }
        }
        return octets == 3 && digits > 0
    }

    /// Up to eight groups of hexadecimal digits, one run of zero groups left out, perhaps an IPv4 address at the end.
    static func isIPv6(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 2, text.count <= 45 else { return false }
        var groups = 0
        var isShortened = false
        var index = 0
        if text[0] == ASCII.colon {
            guard text[1] == ASCII.colon else { return false }
            isShortened = true
            index = 2
        }
        while index < text.count {
            let start = index
            while index < text.count, ASCII.hexDigit(text[index]) != nil { index &+= 1 }
            if index < text.count, text[index] == ASCII.dot {
                guard isShortened ? groups <= 5 : groups == 6 else { return false }
                return isIPv4(text.extracting(start..<text.count))
            }
            guard index > start, index &- start <= 4 else { return false }
            groups &+= 1
            guard index < text.count else { break }
            guard text[index] == ASCII.colon, index &+ 1 < text.count else { return false }
            index &+= 1
            guard text[index] == ASCII.colon else { continue }
            guard !isShortened else { return false }
            isShortened = true
            index &+= 1
        }
        return isShortened ? groups <= 7 : groups == 8
    }

    /// Whether a label makes a lax reader take the whole name for an address: decimal, or hexadecimal after `0x`.
    static func isNumber(_ label: Span<UInt8>) -> Bool {
        guard !label.isEmpty else { return false }
        let isHexadecimal = label.count >= 2 && label[0] == ASCII.zero && label[1] | 0x20 == 0x78
        for index in (isHexadecimal ? 2 : 0)..<label.count {
            guard isHexadecimal ? ASCII.hexDigit(label[index]) != nil : ASCII.isDigit(label[index]) else { return false }
        }
        return true
    }
}
