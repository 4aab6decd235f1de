import JOSE

/// Text in the format of an ``InheritedFile``: its number, its length and a digest of all three stand before it. So an
/// incomplete text is recognised.
struct NumberedText: Hashable {
    let number: UInt64
    let text: [UInt8]

    /// Size of the head before the text, in bytes.
    static let headLength = 48

    init(_ text: [UInt8], number: UInt64) {
        (self.text, self.number) = (text, number)
    }

    /// The text with its head, as stored. Nil only if the cryptographic library failed.
    var bytes: [UInt8]? {
        let counted = Self.bytes(of: number) + Self.bytes(of: UInt64(truncatingIfNeeded: text.count))
        let covered = counted + text
        guard let digest = SHA256.digest(of: covered.span) else { return nil }
        return counted + digest + text
    }

    /// Reads one text from stored bytes; further bytes are ignored. Nil if the bytes do not begin with a complete text.
    init?(reading bytes: [UInt8]) {
        guard bytes.count >= Self.headLength else { return nil }
        let count = Self.number(in: bytes[8..<16])
        guard count <= UInt64(bytes.count - Self.headLength) else { return nil }
        self.init(Array(bytes[Self.headLength...].prefix(Int(count))), number: Self.number(in: bytes[0..<8]))
        guard self.bytes?.prefix(Self.headLength) == bytes.prefix(Self.headLength) else { return nil }
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(in bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
