/// Classes of ASCII characters, and those of IP addresses and host names (RFC 3986 §2.3, §3.2.2).
public enum ASCII {
    @inlinable
    @inline(__always)
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    @inlinable
    @inline(__always)
    public static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// The upper-case hexadecimal digit of a value below 16.
    @inlinable
    public static func upperCaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? value &+ UInt8(ascii: "0") : value &- 10 &+ UInt8(ascii: "A")
    }

    /// True for letters, digits, `-`, `.` and `_`: the characters of names and IPv4 addresses that all resolvers treat
    /// alike.
    @inlinable
    public static func isHostByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_")
    }

    @inlinable
    @inline(__always)
    public static func lowercased(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    /// The value of a hexadecimal digit. Nil for any other byte.
    @inlinable
    @inline(__always)
    public static func hexDigit(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- UInt8(ascii: "0") }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter &+ 10 : nil
    }

    /// Reads a number of decimal digits. Leading zeros are ignored. Nil if there are no digits, other bytes, or a value
    /// above the limit.
    ///
    /// - Parameter limit: at most 10¹⁷, so that one more digit still fits.
    @inlinable
    public static func decimal(_ digits: Span<UInt8>, atMost limit: Int) -> Int? {
        guard !digits.isEmpty else { return nil }
        var value = 0
        for index in digits.indices {
            guard isDigit(digits[index]) else { return nil }
            value = value &* 10 &+ Int(digits[index] &- UInt8(ascii: "0"))
            guard value <= limit else { return nil }
        }
        return value
    }
}
