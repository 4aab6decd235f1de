/// A range of addresses in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3): `10.0.0.0/8`, `fd00::/8`, or a single address.
public struct AddressRange: Sendable, Hashable {
    private let base: IPAddress
    private let highMask: UInt64
    private let lowMask: UInt64

    /// Reads a range in CIDR notation. Nil if the text is not a range, or if its address has bits set after the prefix.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        // "::ffff:10.0.0.0/104" and "10.0.0.0/8" are the same range.
        let isDotted = address.isIPv4 && !first.utf8.contains(UInt8(ascii: ":"))
        let longest = isDotted ? 32 : 128
        var length = longest
        if parts.count == 2 {
            guard let written = ASCII.decimal(parts[1].utf8.span, atMost: longest) else { return nil }
            length = written
        }
        self.init(of: address, bits: isDotted ? length &+ 96 : length)
        guard base == address else { return nil }
    }

    /// The range that contains an address. The address may have bits set after the prefix.
    ///
    /// - Parameter bits: the length of the prefix in the address's IPv6 form, 0 to 128. Other values are clamped.
    public init(of address: IPAddress, bits: Int) {
        highMask = Self.mask(bits: min(max(bits, 0), 64))
        lowMask = Self.mask(bits: min(max(bits, 64), 128) &- 64)
        base = IPAddress(high: address.high & highMask, low: address.low & lowMask)
    }

    /// True if the ranges together contain every IPv4 address or every IPv6 address.
    public static func coverEveryone(_ ranges: [AddressRange]) -> Bool {
        allOfIPv4.isCovered(by: ranges) || allOfIPv6.isCovered(by: ranges)
    }

    private static let allOfIPv4 = AddressRange(of: IPAddress(ipv4: 0), bits: 96)
    private static let allOfIPv6 = AddressRange(of: IPAddress(high: 0, low: 0), bits: 0)

    /// True if the range is larger than the proxies of any operator: IPv4 wider than /8, IPv6 wider than /19.
    ///
    /// IPv6 networks that are unreachable from the internet are never wide, because untrusted clients have no address
    /// in them.
    public var isWide: Bool {
        if let ipv4Length { return ipv4Length < 8 }
        return length < 19 && !Self.unreachable.contains { $0.covers(self) }
    }

    /// Unique local (RFC 4193 §3.1) and link-local addresses (RFC 4291 §2.5.6).
    private static let unreachable = ["fc00::/7", "fe80::/10"].compactMap { AddressRange($0) }

    /// Length of the prefix in bits. An IPv4 range is counted in its IPv6 form.
    private var length: Int { (~highMask).leadingZeroBitCount &+ (~lowMask).leadingZeroBitCount }

    /// Length of the prefix in bits for the IPv4 addresses in the range. Nil if it contains none.
    private var ipv4Length: Int? {
        // "::/64" contains the mapped form of every IPv4 address, which is equal to the IPv4 address.
        guard length > 96 else { return contains(IPAddress(ipv4: 0)) ? 0 : nil }
        return base.isIPv4 ? length &- 96 : nil
    }

    /// True if each address of the range is in at least one of the others.
    private func isCovered(by others: [AddressRange]) -> Bool {
        // If two ranges share an address, one of them contains the other.
        let sharing = others.filter { $0.covers(self) || covers($0) }
        if sharing.contains(where: { $0.covers(self) }) { return true }
        guard !sharing.isEmpty else { return false }
        return halves.allSatisfy { $0.isCovered(by: sharing) }
    }

    /// The lower and the upper half of the range. A single address gives itself twice.
    private var halves: [AddressRange] {
        // The bit after the prefix is the difference of the two masks.
        let low = AddressRange(of: base, bits: length &+ 1)
        let upper = IPAddress(high: base.high | (low.highMask ^ highMask), low: base.low | (low.lowMask ^ lowMask))
        return [low, AddressRange(of: upper, bits: length &+ 1)]
    }

    private func covers(_ other: AddressRange) -> Bool { length <= other.length && contains(other.base) }

    public func contains(_ address: IPAddress) -> Bool {
        address.high & highMask == base.high && address.low & lowMask == base.low
    }

    /// A mask with the highest bits of a word set.
    private static func mask(bits: Int) -> UInt64 {
        bits == 0 ? 0 : ~0 << UInt64(truncatingIfNeeded: 64 &- bits)
    }
}
