/// Parser for a TCP port number in text (RFC 3986 §3.2.3).
public enum PortNumber {
    public static let highest = 65_535

    /// The port number, without leading zeros. Nil for any other text.
    @inlinable
    public static func canonical(_ digits: Span<UInt8>) -> Int? {
        guard digits.count == 1 || digits.count > 1 && digits[0] != UInt8(ascii: "0") else { return nil }
        return decimal(digits)
    }

    /// The port number in decimal digits, with or without leading zeros. Nil for any other text.
    @inlinable
    public static func decimal(_ digits: Span<UInt8>) -> Int? {
        ASCII.decimal(digits, atMost: highest)
    }
}
