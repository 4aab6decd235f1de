import NetworkNames

extension Authority {
    /// Reads `host[:port]` (RFC 3986 §3.2.2) without user information. Nil for any other text.
    ///
    /// Registered names consist of letters, digits, `-`, `.` and `_`. Percent escapes and zone identifiers are refused.
    static func parse(_ range: Range<Int>, in bytes: Span<UInt8>) -> Authority? {
        // in bounds: the range is one of these bytes
        guard let first = range.first else { return nil }
        let hostEnd = bytes[first] == ASCII.openBracket ? addressEnd(range, in: bytes) : nameEnd(range, in: bytes)
        guard let hostEnd else { return nil }
        let host = range.lowerBound..<hostEnd
        if hostEnd == range.upperBound { return Authority(bytes: range, host: host, port: nil) }
        guard bytes[hostEnd] == ASCII.colon, let port = port(hostEnd &+ 1..<range.upperBound, in: bytes) else {
            return nil
        }
        return Authority(bytes: range, host: host, port: port)
    }

    /// True if both name the same host and port. An absent port means the scheme's default port.
    func agrees(with other: Authority, defaultPort: Int, in bytes: Span<UInt8>) -> Bool {
        (port ?? defaultPort) == (other.port ?? defaultPort)
            && bytes.extracting(host).equalsIgnoringCase(bytes.extracting(other.host))
    }

    private static let longestName = 255

    private static func addressEnd(_ range: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        var index = range.lowerBound &+ 1
        while index < range.upperBound, bytes[index] != ASCII.closeBracket { index &+= 1 }
        guard index < range.upperBound, IPAddress(ipv6: bytes.extracting(range.lowerBound &+ 1..<index)) != nil else {
            return nil
        }
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
                guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == ASCII.hyphen || byte == ASCII.underscore
                else { return nil }
            }
            index &+= 1
        }
        let name = range.lowerBound..<index
        guard !name.isEmpty, name.count <= longestName else { return nil }
        if labelStart < index { lastLabel = labelStart..<index }
        // in bounds: a label of this name
        if let first = lastLabel.first, ASCII.isDigit(bytes[first]), isMisreadable(name, lastLabel, in: bytes) {
            return nil
        }
        return index
    }

    /// True if the name is no IPv4 address, but some readers take it for one: "127.1", "0x7f.1".
    private static func isMisreadable(_ name: Range<Int>, _ lastLabel: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        IPAddress(ipv4: bytes.extracting(name)) == nil && HostName.isNumber(lastLabel: bytes.extracting(lastLabel))
    }

    /// Reads a port above zero in its canonical spelling (no leading zeros). Nil for anything else.
    private static func port(_ digits: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        guard let port = PortNumber.canonical(bytes.extracting(digits)), port > 0 else { return nil }
        return port
    }
}
