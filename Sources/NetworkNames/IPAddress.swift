/// An IPv4 or IPv6 address by its value; an IPv4 address in IPv6 form (RFC 4291 §2.5.5.2) is the IPv4 address.
public struct IPAddress: Sendable, Hashable {
    /// The address as IPv6, IPv4 as `::ffff:a.b.c.d`: eight groups from the left.
    public let high: UInt64
    public let low: UInt64

    private static let mappedPrefix: UInt64 = 0xFFFF

    /// Reads the textual forms of RFC 4291 §2.2 and dotted decimal; nil for everything else, zones included.
    public init?(_ text: some StringProtocol) {
        if let address = Self.ipv4(text) {
            self.init(high: 0, low: Self.mappedPrefix << 32 | UInt64(address))
        } else if let groups = Self.ipv6(text) {
            self.init(high: Self.word(groups.prefix(4)), low: Self.word(groups.suffix(4)))
        } else {
            return nil
        }
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Whether this is an IPv4 address, in whichever form it was written.
    public var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix }

    /// What stands for one client: an IPv4 address itself, also a translated one (RFC 6052 §2.1); of IPv6 the network of 64 bits that one
    /// customer has (RFC 6177).
    public var client: IPAddress { isIPv4 || high == Self.translatedPrefix ? self : IPAddress(high: high, low: 0) }

    /// `64:ff9b::/96`, behind which a network puts all of its IPv4 clients.
    private static let translatedPrefix: UInt64 = 0x0064_FF9B_0000_0000

    private static func ipv4(_ text: some StringProtocol) -> UInt32? {
        let octets = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard octets.count == 4 else { return nil }
        var address: UInt32 = 0
        for octet in octets {
            guard let value = decimal(octet) else { return nil }
            address = address << 8 | UInt32(value)
        }
        return address
    }

    private static func decimal(_ digits: some Collection<UInt8>) -> UInt8? {
        guard (1...3).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for digit in digits {
            guard digit &- UInt8(ascii: "0") < 10 else { return nil }
            value = value * 10 + Int(digit &- UInt8(ascii: "0"))
        }
        return UInt8(exactly: value)
    }

    /// The eight groups; "::" stands for at least one.
    private static func ipv6(_ text: some StringProtocol) -> [UInt16]? {
        let text = String(text)
        guard text.utf8.count <= 45 else { return nil }
        guard let gap = text.firstRange(of: "::") else {
            guard let groups = groups(text[...]), groups.count == 8 else { return nil }
            return groups
        }
        let head = text[..<gap.lowerBound]
        let tail = text[gap.upperBound...]
        guard !head.contains("."), let left = groups(head), let right = groups(tail), left.count + right.count < 8 else { return nil }
        return left + Array(repeating: 0, count: 8 - left.count - right.count) + right
    }

    private static func groups(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let address = ipv4(part) {
                groups += [UInt16(truncatingIfNeeded: address >> 16), UInt16(truncatingIfNeeded: address)]
            } else if (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHexDigit), let group = UInt16(part, radix: 16) {
                groups.append(group)
            } else {
                return nil
            }
        }
        return groups
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    private static func word(_ groups: ArraySlice<UInt16>) -> UInt64 {
        groups.reduce(0) { $0 << 16 | UInt64($1) }
    }
}
