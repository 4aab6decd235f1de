/// Where a record stands: in which of a shard's two rings, and how many bytes from its beginning.
struct TokenPlace: Hashable {
    /// Never zero, so that zero can mean an empty slot of the index.
    let rawValue: UInt32

    /// The ring of a record.
    enum Ring {
        case probation
        case main
    }

    /// A ring's bytes are not more than a place can tell: 16 GiB.
    static let mostRingBytes = (Int(Int32.max) - 1) * 8

    private static let mainBit: UInt32 = 1 << 31

    init(_ ring: Ring, offset: Int) {
        rawValue = (UInt32(truncatingIfNeeded: offset / 8) + 1) | (ring == .main ? Self.mainBit : 0)
    }

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    var ring: Ring { rawValue & Self.mainBit == 0 ? .probation : .main }

    var offset: Int { (Int(rawValue & ~Self.mainBit) - 1) * 8 }
}
