import NetworkNames

/// Parser for `Content-Length` (RFC 9110 §8.6): one decimal number without leading zeros, at most 2^63 − 1.
enum ContentLength {
    static func parse(_ value: Span<UInt8>) throws(FieldRejection) -> Int {
        guard !value.isEmpty else { throw .malformedContentLength }
        for index in value.indices where !ASCII.isDigit(value[index]) { throw .malformedContentLength }
        // Some readers take a number with a leading zero for octal.
        guard value[0] != ASCII.zero || value.count == 1 else { throw .malformedContentLength }
        var length = 0
        for index in value.indices {
            let (shifted, overflowed) = length.multipliedReportingOverflow(by: 10)
            let (sum, carried) = shifted.addingReportingOverflow(Int(value[index] &- ASCII.zero))
            guard !overflowed, !carried else { throw .contentLengthTooLarge }
            length = sum
        }
        return length
    }
}
