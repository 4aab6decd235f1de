/// An IPv4 or IPv6 address by its value; an IPv4 address in IPv6 form (RFC 4291 §2.5.5.2) is the IPv4 address.
public struct IPAddress: Sendable, Hashable {
    /// The address as IPv6, IPv4 as `::ffff:a.b.c.d`: eight groups from the left.
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

    /// Whether this is an IPv4 address, in whichever form it was written.
    public var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix }

    /// Address that identifies one client: an IPv4 address itself, also a translated one (RFC 6052 §2.1); for IPv6, the
    /// network of 64 bits that one customer has (RFC 6177).
    public var client: IPAddress { isIPv4 || high == Self.translatedPrefix ? self : IPAddress(high: high, low: 0) }

    /// `64:ff9b::/96`, behind which a network puts all of its IPv4 clients.
    private static let translatedPrefix: UInt64 = 0x0064_FF9B_0000_0000

    /// The byte at an index below 16, in network order.
    @inlinable
    public func byte(at index: Int) -> UInt8 {
        let word = index < 8 ? high : low
        return UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: (7 &- (index & 7)) &* 8))
    }

    /// The group at an index below 8, from the left.
    public func group(at index: Int) -> UInt16 {
        let word = index < 4 ? high : low
        return UInt16(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: (3 &- (index & 3)) &* 16))
    }
}
