/// Reach of an IP address, widest first.
///
/// A document fetched from a public issuer must not direct the gateway to its own machine or network. So an address in
/// the document must not have a narrower class than the issuer's own. Unassigned addresses (unspecified, multicast,
/// broadcast, reserved, discard-only) have no class.
public enum AddressClass: Int, Sendable, Hashable, Comparable {
    case global
    case `private`
    case linkLocal
    case loopback

    public static func < (left: AddressClass, right: AddressClass) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension IPAddress {
    /// The class of the address. Nil if it is unassigned. An address that embeds an IPv4 address has the class of that.
    public var addressClass: AddressClass? {
        if let carried = carriedIPv4 { return Self.addressClass(ofIPv4: carried) }
        if high == 0, low <= 1 { return low == 1 ? .loopback : nil }
        switch group(at: 0) {
        case 0xFF00...: return nil
        case 0x0100: return nil
        case 0xFE80...0xFEBF: return .linkLocal
        case 0xFEC0...0xFEFF, 0xFC00...0xFDFF: return .private
        case 0x64 where group(at: 1) == 0xFF9B: return .private
        case 0x2001 where group(at: 1) == 0xDB8: return .private
        default: return .global
        }
    }

    /// The class of an IPv4 address (RFC 6890 and its registry). Nil if it is unassigned.
    private static func addressClass(ofIPv4 address: UInt32) -> AddressClass? {
        let octet = { (shift: UInt32) in UInt8(truncatingIfNeeded: address >> shift) }
        switch (octet(24), octet(16), octet(8)) {
        case (0, _, _), (224..., _, _): return nil
        case (127, _, _): return .loopback
        case (169, 254, _): return .linkLocal
        case (10, _, _), (172, 16...31, _), (192, 168, _), (100, 64...127, _): return .private
        // Protocol assignments, documentation and benchmarks. They are not on the internet, so they count as private.
        case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113), (198, 18...19, _): return .private
        default: return .global
        }
    }

    /// The embedded IPv4 address: mapped (`::ffff:0:0/96`), compatible (`::/96`), NAT64 (`64:ff9b::/96`, RFC 6052) or
    /// 6to4 (`2002::/16`). Nil if there is none.
    private var carriedIPv4: UInt32? {
        let isCompatible = high == 0 && low >> 32 == 0 && low > 1
        let isTranslated = high == 0x0064_FF9B_0000_0000 && low >> 32 == 0
        if isIPv4 || isCompatible || isTranslated { return UInt32(truncatingIfNeeded: low) }
        return high >> 48 == 0x2002 ? UInt32(truncatingIfNeeded: high >> 16) : nil
    }
}
