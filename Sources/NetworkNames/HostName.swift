/// Interpretation of host names by other readers.
public enum HostName {
    /// True if the last label of a name makes a lax reader take the name for an IPv4 address: decimal, or hexadecimal
    /// after `0x`.
    ///
    /// "127.1" and "0x7f.1" are addresses to some readers and names to others.
    @inlinable
    public static func isNumber(lastLabel label: Span<UInt8>) -> Bool {
        guard !label.isEmpty else { return false }
        let isHexadecimal = label.count >= 2 && label[0] == UInt8(ascii: "0") && label[1] | 0x20 == UInt8(ascii: "x")
        for index in (isHexadecimal ? 2 : 0)..<label.count {
            guard isHexadecimal ? ASCII.hexDigit(label[index]) != nil : ASCII.isDigit(label[index]) else {
                return false
            }
        }
        return true
    }
}
