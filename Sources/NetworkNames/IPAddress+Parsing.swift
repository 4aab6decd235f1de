extension IPAddress {
    /// Reads dotted decimal and the textual forms of RFC 4291 §2.2. Nil for any other text, including zones and
    /// brackets.
    public init?(_ text: Span<UInt8>) {
        if let address = Self(ipv4: text) {
            self = address
        } else if let address = Self(ipv6: text) {
            self = address
        } else {
            return nil
        }
    }

    public init?(_ text: String) {
        self.init(text.utf8.span)
    }

    public init?(_ text: Substring) {
        self.init(text.utf8.span)
    }

    /// Reads dotted decimal (RFC 3986 §3.2.2): exactly four numbers up to 255.
    ///
    /// Leading zeros are refused: `010.0.0.1` begins with eight for some readers and with ten for others.
    public init?(ipv4 text: Span<UInt8>) {
        var address = 0
        var octets = 0
        var digits = 0
        var value = 0
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return nil }
                address = address &<< 8 | value
                octets &+= 1
                digits = 0
                value = 0
            } else {
                guard ASCII.isDigit(byte), digits == 0 || value > 0 else { return nil }
                value = value &* 10 &+ Int(byte &- UInt8(ascii: "0"))
                guard value <= 255 else { return nil }
                digits &+= 1
            }
        }
        guard octets == 3, digits > 0 else { return nil }
        self.init(ipv4: UInt32(truncatingIfNeeded: address &<< 8 | value))
    }

    /// Reads eight groups of hexadecimal digits. "::" may replace one run of zero groups, and an IPv4 address may be at
    /// the end.
    public init?(ipv6 text: Span<UInt8>) {
        guard let groups = Self.groups(of: text) else { return nil }
        self.init(high: UInt64(truncatingIfNeeded: groups >> 64), low: UInt64(truncatingIfNeeded: groups))
    }

    /// The eight groups, with the last one in the lowest bits. Nil if the text is malformed.
    private static func groups(of text: Span<UInt8>) -> UInt128? {
        var groups: UInt128 = 0
        var count = 0
        // Negative if there is no "::".
        var countBeforeGap = -1
        var index = 0
        if text.count >= 2, text[0] == UInt8(ascii: ":") {
            guard text[1] == UInt8(ascii: ":") else { return nil }
            countBeforeGap = 0
            index = 2
        }
        while index < text.count {
            let start = index
            var group: UInt64 = 0
            while index < text.count, let digit = ASCII.hexDigit(text[index]) {
                group = group &<< 4 | UInt64(truncatingIfNeeded: digit)
                index &+= 1
            }
            if index < text.count, text[index] == UInt8(ascii: ".") {
                guard let address = Self(ipv4: text.extracting(start..<text.count)) else { return nil }
                groups = groups &<< 32 | UInt128(address.low & 0xFFFF_FFFF)
                count &+= 2
                break
            }
            guard index > start, index &- start <= 4 else { return nil }
            groups = groups &<< 16 | UInt128(group)
            count &+= 1
            guard index < text.count else { break }
            // Only "::" may be the end of the text, not a single colon.
            guard text[index] == UInt8(ascii: ":"), index &+ 1 < text.count else { return nil }
            index &+= 1
            guard text[index] == UInt8(ascii: ":") else { continue }
            guard countBeforeGap < 0 else { return nil }
            countBeforeGap = count
            index &+= 1
        }
        guard countBeforeGap >= 0 else { return count == 8 ? groups : nil }
        // "::" replaces at least one group.
        return count < 8 ? spread(groups, count: count, countBeforeGap: countBeforeGap) : nil
    }

    /// Shifts the groups before "::" to the left end.
    private static func spread(_ groups: UInt128, count: Int, countBeforeGap: Int) -> UInt128 {
        let bitsBehindGap = 16 &* (count &- countBeforeGap)
        let before = groups >> bitsBehindGap
        return before << (128 &- 16 &* countBeforeGap) | (groups ^ before << bitsBehindGap)
    }
}
