/// An IPv4 or IPv6 address as a number. An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is equal to the IPv4 address.
public struct IPAddress: Sendable, Hashable {
    /// The upper and lower half of the address in IPv6 form. IPv4 is `::ffff:a.b.c.d`.
    public let high: UInt64
    public let low: UInt64

    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inlinable
    public init(ipv4 address: UInt32) {
        self.init(high: 0, low: Self.mappedPrefix << 32 | UInt64(address))
    }

    @usableFromInline
    static let mappedPrefix: UInt64 = 0xFFFF

    /// True if this is an IPv4 address, in either form.
    public var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix }

    /// The part of the address that identifies one client: an IPv4 address, also a translated one (RFC 6052 §2.1), as a
    /// whole. For IPv6 the network of 64 bits that one customer has (RFC 6177).
    public var client: IPAddress { isIPv4 || high == Self.translatedPrefix ? self : IPAddress(high: high, low: 0) }

    /// The upper half of `64:ff9b::/96`, in which a network translates all of its IPv4 clients.
    private static let translatedPrefix: UInt64 = 0x0064_FF9B_0000_0000

    /// The byte at an index from 0 to 15, in network order.
    @inlinable
    public func byte(at index: Int) -> UInt8 {
        let word = index < 8 ? high : low
        return UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: (7 &- (index & 7)) &* 8))
    }

    /// The group of 16 bits at an index from 0 to 7, from the left.
    public func group(at index: Int) -> UInt16 {
        let word = index < 4 ? high : low
        return UInt16(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: (3 &- (index & 3)) &* 16))
    }
}
