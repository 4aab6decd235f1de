/// The dotted-decimal form of an IPv4 address (RFC 3986 §3.2.2): four numbers of 0–255 without leading zeros, and nothing else.
enum IPv4Literal {
    static func value(of text: Span<UInt8>) -> UInt32? {
        var value: UInt32 = 0
        var octets = 0
        var start = 0
        for index in 0...text.count where index == text.count || text[index] == UInt8(ascii: ".") {
            guard octets < 4, let octet = octet(text.extracting(start..<index)) else { return nil }
            value = value << 8 | UInt32(octet)
            octets &+= 1
            start = index &+ 1
        }
        return octets == 4 ? value : nil
    }

    private static func octet(_ digits: Span<UInt8>) -> UInt8? {
        guard (1...3).contains(digits.count), digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
        var value = 0
        for index in digits.indices {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digits[index]) else { return nil }
            value = value &* 10 &+ Int(digits[index] &- UInt8(ascii: "0"))
        }
        return UInt8(exactly: value)
    }
}
