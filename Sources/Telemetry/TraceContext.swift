import HTTPMessages

/// Identifier of a trace: 128 random bits, not all zero.
public struct TraceID: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    /// - Parameters: random bits. Zeros, which no trace may have, become another number.
    public init(_ high: UInt64, _ low: UInt64) {
        self.high = high
        self.low = high | low == 0 ? 1 : low
    }

    /// Its 32 hexadecimal digits.
    public var digits: HexadecimalDigits { HexadecimalDigits(high, low) }
}

/// Identifier of a span: 64 random bits, not all zero.
public struct SpanID: Sendable, Hashable {
    public let bits: UInt64

    /// - Parameter bits: random bits. Zero, which no span may have, becomes another number.
    public init(_ bits: UInt64) {
        self.bits = bits == 0 ? 1 : bits
    }

    public static func random() -> SpanID {
        var random = SystemRandomNumberGenerator()
        return SpanID(random.next())
    }
}

/// Position in a trace: content of a `traceparent` field (W3C Trace Context, level 1, §3.2).
public struct TraceContext: Sendable, Hashable {
    public let trace: TraceID
    public let span: SpanID
    /// True if the sender recorded the span.
    public let isSampled: Bool

    public init(_ trace: TraceID, _ span: SpanID, isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }

    /// Reads a field value: `00-` 32 digits `-` 16 digits `-` 2 digits, in lower case. Nil if it is not of this form,
    /// or its trace or span is all zeros.
    public init?(parsing value: Span<UInt8>) {
        let dash = UInt8(ascii: "-")
        guard value.count == Self.textLength, value[2] == dash, value[35] == dash, value[52] == dash,
            Self.number(value.extracting(0..<2)) == 0, let high = Self.number(value.extracting(3..<19)),
            let low = Self.number(value.extracting(19..<35)), let span = Self.number(value.extracting(36..<52)),
            let flags = Self.number(value.extracting(53..<55)), high | low != 0, span != 0
        else { return nil }
        self.init(TraceID(high, low), SpanID(span), isSampled: flags & 1 == 1)
    }

    /// Length of a field value, in bytes.
    private static let textLength = 55

    /// Number of at most 16 hexadecimal digits in lower case. Nil for other characters.
    private static func number(_ digits: Span<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for index in digits.indices {
            let (digit, letter) = (digits[index] &- UInt8(ascii: "0"), digits[index] &- UInt8(ascii: "a"))
            guard digit < 10 || letter < 6 else { return nil }
            number = number &<< 4 | UInt64(digit < 10 ? digit : letter &+ 10)
        }
        return number
    }

    /// Value of the `traceparent` field: `00-`, the trace, `-`, the span, `-` and the flags.
    ///
    /// Inlinable, because it is written to each upstream, and would be copied.
    @inlinable
    @inline(__always)
    public var text: InlineArray<55, UInt8> {
        var text = InlineArray<55, UInt8>(repeating: UInt8(ascii: "-"))
        // `00` and `01` in memory.
        let (zeros, one) = (UInt16(0x3030), UInt16(0x3130))
        var bytes = text.mutableSpan
        // SAFETY: all is within the 55 bytes.
        unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe bytes.storeBytes(of: zeros, toByteOffset: 0, as: UInt16.self)
            unsafe bytes.storeBytes(of: HexadecimalDigits.sixteen(trace.high), toByteOffset: 3, as: SIMD16<UInt8>.self)
            unsafe bytes.storeBytes(of: HexadecimalDigits.sixteen(trace.low), toByteOffset: 19, as: SIMD16<UInt8>.self)
            unsafe bytes.storeBytes(of: HexadecimalDigits.sixteen(span.bits), toByteOffset: 36, as: SIMD16<UInt8>.self)
            unsafe bytes.storeBytes(of: isSampled ? one : zeros, toByteOffset: 53, as: UInt16.self)
        }
        return text
    }
}

extension TraceContext {
    /// Reads the `traceparent` of a head. Nil if there is none, more than one, or a malformed one.
    public init?(in head: RequestHead) {
        guard let field = head.only(.traceparent) else { return nil }
        self.init(parsing: head.bytes.span.extracting(field.value))
    }
}
