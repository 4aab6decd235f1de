/// Eight bytes of a text, which are compared with characters all at once.
///
/// Every comparison is exact for each byte, whatever its neighbours are. A byte from 0x80 on is in no range.
@frozen
public struct ByteWord: Sendable, Equatable {
    /// The first byte in the lowest bits.
    @usableFromInline
    var bits: UInt64

    @inlinable
    public static var byteCount: Int { 8 }

    @inlinable
    @inline(__always)
    init(bits: UInt64) {
        self.bits = bits
    }

    /// The eight bytes of a text from an offset on. Nil if fewer follow, or the offset is negative.
    @inlinable
    @inline(__always)
    public init?(_ text: Span<UInt8>, at offset: Int) {
        guard offset >= 0, text.count &- offset >= Self.byteCount else { return nil }
        // SAFETY: eight bytes follow, as just compared.
        unsafe self.init(text.bytes, at: offset)
    }

    /// Not checked: that eight bytes follow the offset.
    @inlinable
    @inline(__always)
    @unsafe
    init(_ bytes: RawSpan, at offset: Int) {
        bits = unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// Eight times the same byte.
    @inlinable
    @inline(__always)
    public init(repeating byte: UInt8) {
        bits = ByteMarks.lowest &* UInt64(byte)
    }

    /// The bytes of a text from an offset on. Where fewer than eight follow, the others are `filler`.
    @inlinable
    @inline(__always)
    public init(_ text: Span<UInt8>, at offset: Int, filler: UInt8) {
        if let whole = ByteWord(text, at: offset) {
            self = whole
        } else {
            self.init(last: text, from: offset, filler: filler)
        }
    }

    /// - Parameter offset: at most seven bytes follow.
    @usableFromInline
    init(last text: Span<UInt8>, from offset: Int, filler: UInt8) {
        let rest = text.count &- offset
        let fillers = ByteWord(repeating: filler).bits
        guard offset >= 0, rest > 0 else {
            bits = fillers
            return
        }
        let last: UInt64
        if rest >= 4 {
            // Two parts of four bytes, which may overlap. SAFETY: four bytes follow both offsets.
            let (first, second) = unsafe (
                text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self),
                text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: text.count &- 4, as: UInt32.self)
            )
            last = UInt64(UInt32(littleEndian: first)) | UInt64(UInt32(littleEndian: second)) &<< (8 &* (rest &- 4))
        } else {
            // The first, the middle and the last byte, which may be the same. in bounds: at least one byte follows
            let middle = rest / 2
            last =
                UInt64(text[offset]) | UInt64(text[offset &+ middle]) &<< (8 &* middle)
                | UInt64(text[text.count &- 1]) &<< (8 &* (rest &- 1))
        }
        bits = last | fillers &<< (8 &* rest)
    }

    /// The eight bytes as one number, with the first byte in the lowest bits.
    @inlinable
    @inline(__always)
    public var number: UInt64 { bits }

    @inlinable
    @inline(__always)
    public subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: bits &>> (index &* 8)) }

    /// Marks the bytes that are equal to one byte.
    @inlinable
    @inline(__always)
    public func equal(to byte: UInt8) -> ByteMarks {
        let difference = bits ^ ByteWord(repeating: byte).bits
        // The top bit is set where any bit is: the lower ones carry into it, and no further.
        return ByteMarks(bits: ~(((difference & ~ByteMarks.all) &+ ~ByteMarks.all) | difference) & ByteMarks.all)
    }

    /// Marks the bytes outside a range of ASCII characters.
    @inlinable
    @inline(__always)
    public func outside(_ range: ClosedRange<UInt8>) -> ByteMarks {
        let low = bits & ~ByteMarks.all
        // With the top bit masked out, no byte borrows from its neighbour or carries into it.
        let below = ~((low | ByteMarks.all) &- ByteWord(repeating: range.lowerBound).bits)
        let above = low &+ ByteWord(repeating: 0x7F &- range.upperBound).bits
        return ByteMarks(bits: (below | above | bits) & ByteMarks.all)
    }

    /// Marks the bytes within a range of ASCII characters.
    @inlinable
    @inline(__always)
    public func within(_ range: ClosedRange<UInt8>) -> ByteMarks { ~outside(range) }

    /// Marks the ASCII letters.
    @inlinable
    @inline(__always)
    public var letters: ByteMarks {
        ByteWord(bits: bits | ByteWord(repeating: 0x20).bits).within(UInt8(ascii: "a")...UInt8(ascii: "z"))
    }

    /// Marks the bytes that are no ASCII characters.
    @inlinable
    @inline(__always)
    public var nonASCII: ByteMarks { ByteMarks(bits: bits & ByteMarks.all) }
}

/// Marks on some of the eight bytes of a ``ByteWord``.
@frozen
public struct ByteMarks: Sendable, Equatable {
    /// The top bit of each marked byte.
    @usableFromInline
    let bits: UInt64

    @inlinable
    static var all: UInt64 { 0x8080_8080_8080_8080 }
    /// The lowest bit of every byte.
    @inlinable
    static var lowest: UInt64 { 0x0101_0101_0101_0101 }

    @inlinable
    @inline(__always)
    init(bits: UInt64) {
        self.bits = bits
    }

    @inlinable
    @inline(__always)
    public var isEmpty: Bool { bits == 0 }

    @inlinable
    @inline(__always)
    public var count: Int { bits.nonzeroBitCount }

    /// Index of the first marked byte. 8 if none is marked.
    @inlinable
    @inline(__always)
    public var first: Int { bits.trailingZeroBitCount &>> 3 }

    /// The same marks without the first.
    @inlinable
    @inline(__always)
    public var withoutFirst: ByteMarks { ByteMarks(bits: bits & (bits &- 1)) }

    /// Marks the other bytes.
    @inlinable
    @inline(__always)
    public static prefix func ~ (marks: ByteMarks) -> ByteMarks { ByteMarks(bits: marks.bits ^ all) }

    @inlinable
    @inline(__always)
    public static func | (one: ByteMarks, other: ByteMarks) -> ByteMarks { ByteMarks(bits: one.bits | other.bits) }

    @inlinable
    @inline(__always)
    public static func & (one: ByteMarks, other: ByteMarks) -> ByteMarks { ByteMarks(bits: one.bits & other.bits) }
}
