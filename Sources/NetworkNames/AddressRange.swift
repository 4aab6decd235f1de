/// A range of addresses in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3): `10.0.0.0/8`, `fd00::/8`, or one address.
public struct AddressRange: Sendable, Hashable {
    private let base: IPAddress
    private let highMask: UInt64
    private let lowMask: UInt64

    /// Returns nil for what is not a range, and for one whose address has bits beyond its prefix.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        // "::ffff:10.0.0.0/104" and "10.0.0.0/8" are the same range.
        let isDotted = address.isIPv4 && !first.contains(":")
        let longest = isDotted ? 32 : 128
        var length = longest
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let written = Int(parts[1]), written <= longest else {
                return nil
            }
            length = written
        }
        let bits = isDotted ? length + 96 : length
        base = address
        highMask = Self.mask(bits: min(bits, 64))
        lowMask = Self.mask(bits: max(bits - 64, 0))
        guard base.high & ~highMask == 0, base.low & ~lowMask == 0 else { return nil }
    }

    public func contains(_ address: IPAddress) -> Bool {
        address.high & highMask == base.high && address.low & lowMask == base.low
    }

    /// The first bits of a word set.
    private static func mask(bits: Int) -> UInt64 {
        bits == 0 ? 0 : ~0 << UInt64(64 - bits)
    }
}
