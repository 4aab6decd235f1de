import HTTPMessages

/// Checks whether a request's `traceparent` can be forwarded (W3C Trace Context, level 1, §3.2).
///
/// A malformed one is removed together with `tracestate`, which means nothing without it.
enum TraceContext {
    static func isWellFormed(in head: RequestHead) -> Bool {
        guard let field = head.first(.traceparent), head.count(of: .traceparent) == 1 else { return false }
        return isWellFormed(head.bytes.span.extracting(field.value))
    }

    /// True for `00-` 32 digits `-` 16 digits `-` 2 digits, in lower case, with trace and parent not all zeros.
    static func isWellFormed(_ value: Span<UInt8>) -> Bool {
        guard value.count == 55, isAllZeros(value.extracting(0..<2)) else { return false }
        for dash in [2, 35, 52] where value[dash] != UInt8(ascii: "-") { return false }
        let (trace, parent, flags) = (value.extracting(3..<35), value.extracting(36..<52), value.extracting(53..<55))
        return isHex(trace) && isHex(parent) && isHex(flags) && !isAllZeros(trace) && !isAllZeros(parent)
    }

    private static func isHex(_ digits: Span<UInt8>) -> Bool {
        for index in digits.indices {
            let isDigit = digits[index] &- UInt8(ascii: "0") < 10 || digits[index] &- UInt8(ascii: "a") < 6
            guard isDigit else { return false }
        }
        return true
    }

    private static func isAllZeros(_ digits: Span<UInt8>) -> Bool {
        for index in digits.indices where digits[index] != UInt8(ascii: "0") { return false }
        return true
    }
}
