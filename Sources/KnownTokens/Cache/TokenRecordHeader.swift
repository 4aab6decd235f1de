import JOSE
import TokenVerification

/// Header of each record in a ring, 32 bytes long.
///
/// ```text
/// 0  length of the record (2)   kind (1)   references (1)   bytes from here to the next header (4)
/// 8  digest (16)
/// 24 until, as the bits of its seconds (8)
/// ```
struct TokenRecordHeader: Hashable {
    /// Kind of the bytes that follow a header.
    enum Kind: UInt8 {
        /// A record that can be found.
        case live = 1
        /// A record that was replaced, removed or moved.
        case dead = 2
        /// Padding: the rest of a ring, too short for the next record, which goes to the ring's beginning. It has only
        /// the first eight bytes of a header.
        case padding = 3
    }

    var kind: Kind
    var references: UInt8
    let length: Int
    /// Size of header and record, padded to a multiple of eight.
    let slotSize: Int
    let first: UInt64
    let second: UInt64
    let until: NumericDate

    static let size = 32
    static let kindOffset = 2
    static let referencesOffset = 3

    /// Uses beyond these are not counted, so a record survives at most three turns of the ring without a use.
    static let mostReferences: UInt8 = 3

    init(of digest: TokenDigest, length: Int, until: NumericDate, references: UInt8) {
        kind = .live
        self.references = references
        self.length = length
        slotSize = Self.slotSize(forLength: length)
        first = digest.first
        second = digest.second
        self.until = until
    }

    /// Decodes a header from four words. Nil if they are no header, which does not occur in a ring.
    init?(words: InlineArray<4, UInt64>) {
        guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: words[0] >> 16)) else { return nil }
        self.kind = kind
        references = UInt8(truncatingIfNeeded: words[0] >> 24)
        length = Int(UInt16(truncatingIfNeeded: words[0]))
        slotSize = Int(words[0] >> 32)
        first = words[1]
        second = words[2]
        until = NumericDate(seconds: Double(bitPattern: words[3]))
    }

    var words: InlineArray<4, UInt64> {
        let start =
            UInt64(UInt16(truncatingIfNeeded: length)) | UInt64(kind.rawValue) << 16 | UInt64(references) << 24
            | UInt64(UInt32(truncatingIfNeeded: slotSize)) << 32
        return [start, first, second, until.seconds.bitPattern]
    }

    static func padding(_ slotSize: Int) -> UInt64 {
        UInt64(Kind.padding.rawValue) << 16 | UInt64(UInt32(truncatingIfNeeded: slotSize)) << 32
    }

    /// Size of header and record, padded: headers begin at multiples of eight.
    static func slotSize(forLength length: Int) -> Int {
        size + (length + 7) / 8 * 8
    }

    /// The part of the digest that the index uses.
    var tag: UInt32 { UInt32(truncatingIfNeeded: first) }

    /// True if the record is of this token: 128 bits of the digest are equal.
    func isOf(_ digest: TokenDigest) -> Bool {
        first == digest.first && second == digest.second
    }
}
