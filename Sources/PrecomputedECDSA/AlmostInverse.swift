import COpenSSL

/// Inverse modulo an odd prime, times a power of two (B. S. Kaliski, "The Montgomery inverse and its applications",
/// 1995): the number times ``value`` is 2^exponent, or its opposite if ``isNegative``.
///
/// Not checked here: whoever uses it multiplies back, so that a wrong inverse is found.
struct AlmostInverse {
    /// Little-endian words of a number.
    typealias Words = InlineArray<9, UInt64>

    /// Less than twice the modulus.
    private(set) var value = Words(repeating: 0)
    private(set) var exponent = 0
    private(set) var isNegative = true

    /// Words of the longest number.
    static let mostWords = 9

    /// - Parameters:
    ///   - number: less than the modulus, and not zero.
    ///   - count: words of twice the modulus, at most ``mostWords``.
    init(of number: Words, modulo modulus: Words, count: Int) {
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4 &* Self.mostWords) { memory in
            unsafe memory.initialize(repeating: 0)
            guard let start = memory.baseAddress else { return }
            // The number times r is -u·2^exponent, and times s it is v·2^exponent; or both have the other sign.
            var u = unsafe start
            var v = unsafe start.advanced(by: Self.mostWords)
            var r = unsafe start.advanced(by: 2 &* Self.mostWords)
            var s = unsafe start.advanced(by: 3 &* Self.mostWords)
            for index in 0..<count {
                unsafe u[index] = modulus[index]
                unsafe v[index] = number[index]
            }
            // in bounds: each has the words of the longest number
            unsafe s[0] = 1
            // An inverse takes at most two halvings a bit. The bound ends the loop for a number that has none.
            let mostHalvings = 128 &* count
            var isDone = false
            while !isDone, exponent < mostHalvings {
                // in bounds: as above
                while unsafe v[0] & 1 == 0, exponent < mostHalvings {
                    let zeros = unsafe min(v[0].trailingZeroBitCount, 63)
                    unsafe Self.shiftRight(v, zeros, count)
                    unsafe Self.shiftLeft(r, zeros, count)
                    exponent &+= zeros
                }
                if unsafe Self.isLess(v, u, count) {
                    unsafe swap(&u, &v)
                    unsafe swap(&r, &s)
                    isNegative.toggle()
                }
                isDone = unsafe Self.subtract(u, from: v, count)
                unsafe Self.add(r, to: s, count)
            }
            for index in 0..<count { unsafe value[index] = r[index] }
        }
    }

    // MARK: Words

    // Functions over pointers, because with checks of the bounds an inversion takes twice as long. Each reads and
    // writes `count` words.

    private typealias Pointer = UnsafeMutablePointer<UInt64>

    private static func isLess(_ left: Pointer, _ right: Pointer, _ count: Int) -> Bool {
        var index = count &- 1
        while index > 0, unsafe left[index] == right[index] { index &-= 1 }
        return unsafe left[index] < right[index]
    }

    private static func add(_ number: Pointer, to sum: Pointer, _ count: Int) {
        var carry: UInt64 = 0
        for index in 0..<count {
            let (partial, first) = unsafe sum[index].addingReportingOverflow(number[index])
            let (total, second) = partial.addingReportingOverflow(carry)
            unsafe sum[index] = total
            carry = first || second ? 1 : 0
        }
    }

    /// True if nothing is left.
    private static func subtract(_ number: Pointer, from rest: Pointer, _ count: Int) -> Bool {
        var (borrow, all): (UInt64, UInt64) = (0, 0)
        for index in 0..<count {
            let (partial, first) = unsafe rest[index].subtractingReportingOverflow(number[index])
            let (total, second) = partial.subtractingReportingOverflow(borrow)
            unsafe rest[index] = total
            all |= total
            borrow = first || second ? 1 : 0
        }
        return all == 0
    }

    /// - Parameter bits: 1 to 63.
    private static func shiftRight(_ number: Pointer, _ bits: Int, _ count: Int) {
        // in bounds: every number has at least one word
        for index in 0..<(count &- 1) {
            unsafe number[index] = number[index] &>> UInt64(bits) | number[index &+ 1] &<< UInt64(64 &- bits)
        }
        unsafe number[count &- 1] &>>= UInt64(bits)
    }

    /// - Parameter bits: 1 to 63.
    private static func shiftLeft(_ number: Pointer, _ bits: Int, _ count: Int) {
        for index in (1..<count).reversed() {
            unsafe number[index] = number[index] &<< UInt64(bits) | number[index &- 1] &>> UInt64(64 &- bits)
        }
        // in bounds: every number has a word
        unsafe number[0] &<<= UInt64(bits)
    }
}

extension Number {
    /// The words of the number. Nil if it has more than ``AlmostInverse/mostWords``.
    var words: AlmostInverse.Words? {
        var words = AlmostInverse.Words(repeating: 0)
        var span = words.mutableSpan
        let length = Int32(clamping: 8 &* AlmostInverse.mostWords)
        let written = unsafe span.withUnsafeMutableBytes { bytes in
            unsafe BN_bn2lebinpad(pointer, bytes.baseAddress, length)
        }
        return written == length ? words : nil
    }

    /// Sets the number. False if there is no memory.
    func set(to words: AlmostInverse.Words) -> Bool {
        unsafe words.span.withUnsafeBytes { bytes in
            unsafe BN_lebin2bn(bytes.baseAddress, Int32(clamping: bytes.count), pointer) != nil
        }
    }
}
