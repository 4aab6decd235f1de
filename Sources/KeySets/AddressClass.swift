/// How far an IP address reaches; the greater, the narrower.
///
/// A document learnt from a public issuer must not send the gateway to its own machine or network, so a learnt address may not be of a
/// narrower class than the issuer's. Addresses that are nobody's (unspecified, multicast, broadcast, reserved, discard-only) have no class.
public enum AddressClass: Int, Sendable, Hashable, Comparable {
    case global
    case `private`
    case linkLocal
    case loopback

    public static func < (left: AddressClass, right: AddressClass) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension AddressClass {
    /// The class of an IPv4 address (RFC 6890 and its registry).
    public init?(ipv4 first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        switch (first, second, third) {
        case (0, _, _), (224..., _, _): return nil
        case (127, _, _): self = .loopback
        case (169, 254, _): self = .linkLocal
        case (10, _, _), (172, 16...31, _), (192, 168, _), (100, 64...127, _): self = .private
        // Protocol assignments, documentation and benchmarks: not the internet's, so somebody's own network if anything.
        case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113), (198, 18...19, _): self = .private
        default: self = .global
        }
    }

    /// The class of an IPv6 address of 16 bytes; one that only carries an IPv4 address has the class of that.
    public init?(ipv6 bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        self.init(groups: groups)
    }

    /// The class of an address in text form, IPv6 without brackets; nil also for a host name.
    public init?(text: String) {
        if let bytes = Self.parseIPv4(text[...]) {
            self.init(ipv4: bytes[0], bytes[1], bytes[2], bytes[3])
        } else if let groups = Self.parseIPv6(text) {
            self.init(groups: groups)
        } else {
            return nil
        }
    }

    /// The 4 or 16 bytes of an address in text form, IPv6 without brackets; nil for anything else.
    public static func bytes(ofAddress text: String) -> [UInt8]? {
        parseIPv4(text[...]) ?? parseIPv6(text)?.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// Whether the text is an IPv6 address, with neither brackets nor zone (RFC 4291 §2.2).
    public static func isIPv6(_ text: String) -> Bool {
        parseIPv6(text) != nil
    }

    /// Whether the text is an IPv4 address in dotted-decimal form.
    public static func isIPv4(_ text: String) -> Bool {
        parseIPv4(text[...]) != nil
    }

    private init?(groups: [UInt16]) {
        guard groups.count == 8, let first = groups.first else { return nil }
        if let carried = Self.carriedIPv4(groups) {
            self.init(ipv4: UInt8(carried.0 >> 8), UInt8(carried.0 & 0xFF), UInt8(carried.1 >> 8), UInt8(carried.1 & 0xFF))
            return
        }
        if groups.dropLast().allSatisfy({ $0 == 0 }) {
            guard groups.last == 1 else { return nil }
            self = .loopback
            return
        }
        switch first {
        case 0xFF00...: return nil
        case 0x0100: return nil
        case 0xFE80...0xFEBF: self = .linkLocal
        case 0xFEC0...0xFEFF, 0xFC00...0xFDFF: self = .private
        case 0x64 where groups[1] == 0xFF9B: self = .private
        case 0x2001 where groups[1] == 0xDB8: self = .private
        default: self = .global
        }
    }

    /// The IPv4 address inside: mapped (`::ffff:0:0/96`), compatible (`::/96`), NAT64 (`64:ff9b::/96`, RFC 6052), 6to4 (`2002::/16`).
    private static func carriedIPv4(_ groups: [UInt16]) -> (UInt16, UInt16)? {
        let lead = groups[0..<6]
        let compatible = lead.allSatisfy { $0 == 0 } && (groups[6] != 0 || groups[7] > 1)
        if compatible || lead.elementsEqual([0, 0, 0, 0, 0, 0xFFFF]) || lead.elementsEqual([0x64, 0xFF9B, 0, 0, 0, 0]) {
            return (groups[6], groups[7])
        }
        return groups[0] == 0x2002 ? (groups[1], groups[2]) : nil
    }
}

// MARK: Text

extension AddressClass {
    /// Four decimal numbers without leading zeros: `010.0.0.1` is eight to some readers and ten to others.
    private static func parseIPv4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            let digits = part.utf8
            guard digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), digits.count == 1 || digits.first != 0x30, let byte = UInt8(part) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    private static func parseIPv6(_ text: String) -> [UInt16]? {
        guard text.utf8.count <= 45 else { return nil }
        guard let gap = text.firstRange(of: "::") else {
            guard let groups = parseGroups(text[...], last: true), groups.count == 8 else { return nil }
            return groups
        }
        let rest = text[gap.upperBound...]
        guard rest.firstRange(of: "::") == nil, !rest.hasPrefix(":") else { return nil }
        guard let head = parseGroups(text[..<gap.lowerBound], last: false), let tail = parseGroups(rest, last: true) else { return nil }
        guard head.count + tail.count < 8 else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// Groups between colons; the last of an address may be an IPv4 address.
    private static func parseGroups(_ text: Substring, last: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if last, index == parts.count - 1, let bytes = parseIPv4(part) {
                groups += [UInt16(bytes[0]) << 8 | UInt16(bytes[1]), UInt16(bytes[2]) << 8 | UInt16(bytes[3])]
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHexDigit), let group = UInt16(part, radix: 16) else {
                    return nil
                }
                groups.append(group)
            }
        }
        return groups
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
