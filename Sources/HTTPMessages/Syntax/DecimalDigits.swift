import NetworkNames

/// An integer as decimal ASCII digits, for writing into a head.
struct DecimalDigits {
    private var digits = InlineArray<20, UInt8>(repeating: ASCII.hyphen)
    private var first: Int

    init(_ number: Int) {
        first = digits.count
        var magnitude = number.magnitude
        repeat {
            first &-= 1
            // in bounds: 20 digits hold every number of 64 bits
            digits[first] = ASCII.zero &+ UInt8(truncatingIfNeeded: magnitude % 10)
            magnitude /= 10
        } while magnitude > 0
        if number < 0 { first &-= 1 }
    }

    @inline(__always)
    func withSpan(_ body: (Span<UInt8>) -> Void) { body(digits.span.extracting(last: digits.count &- first)) }
}
