/// The number of a TCP port in text (RFC 3986 §3.2.3).
public enum PortNumber {
    public static let highest = 65_535

    /// The number as it is usually written: without leading zeros.
    @inlinable
    public static func canonical(_ digits: Span<UInt8>) -> Int? {
        guard digits.count == 1 || digits.count > 1 && digits[0] != UInt8(ascii: "0") else { return nil }
        return decimal(digits)
    }

    /// Decimal digits alone; leading zeros change nothing.
    @inlinable
    public static func decimal(_ digits: Span<UInt8>) -> Int? {
        ASCII.decimal(digits, atMost: highest)
    }
}
