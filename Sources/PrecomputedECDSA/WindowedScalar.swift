/// A number as signed digits: the sum of digit·2^(width·place), with no digit above 2^(width-1) in size.
struct WindowedScalar {
    /// Bytes of the number that is read: those of the longest order, and one that a window may reach into.
    static let byteCount = 68

    private let count: Int
    private var digits = InlineArray<90, Int8>(repeating: 0)

    /// - Parameter number: little-endian, less than the order of the curve that the windows are of.
    init(_ number: InlineArray<68, UInt8>, _ windows: Windows) {
        count = windows.count
        var carry = 0
        for place in 0..<count {
            let digit = Self.bits(of: number, from: place &* windows.width, windows.width) &+ carry
            carry = digit > windows.half ? 1 : 0
            digits[place] = Int8(truncatingIfNeeded: digit &- carry &<< windows.width)
        }
    }

    var places: Range<Int> { 0..<count }

    subscript(place: Int) -> Int {
        // in bounds: the place is one of `places`, which `digits` has room for
        Int(digits[place])
    }

    private static func bits(of number: InlineArray<68, UInt8>, from position: Int, _ width: Int) -> Int {
        let byte = position &>> 3
        // in bounds: the last window of P-521 ends at bit 522, in byte 65
        let pair = Int(number[byte]) | Int(number[byte &+ 1]) &<< 8
        return pair &>> (position & 7) & (1 &<< width &- 1)
    }
}

/// Windows that scalars of a curve are cut into. They determine the size of its tables.
struct Windows: Sendable {
    /// Bits of a window.
    let width: Int
    /// Windows of a scalar. The last one has room for a carry.
    let count: Int

    init(_ curve: PrimeCurve) {
        // One bit more makes a table nearly twice as large, and a verification some hundredths faster.
        width = curve == .p521 ? 6 : 7
        count = (curve.orderBitCount &+ width) / width
    }

    /// Largest digit, which is the number of points of each window.
    var half: Int { 1 &<< (width &- 1) }
}
