import NetworkNames

/// Kind of a host. Part of the key under which a place is looked up.
enum HostKind: UInt8, Sendable {
    case any
    case name
    case subdomain
    case address
}

/// A request's host in the form in which places are compared: a name in lower case without a final dot, or the bytes of
/// an IPv6 address.
///
/// Not copyable and filled by `read(_:)`, because it is as large as the longest name.
struct HostKey: ~Copyable {
    private(set) var bytes = InlineArray<256, UInt8>(repeating: 0)
    private(set) var range = 0..<0
    private(set) var kind = HostKind.any

    /// Reads a host. Returns false if no place can match it.
    mutating func read(_ host: Span<UInt8>) -> Bool {
        guard !host.isEmpty else { return false }
        guard host[0] == UInt8(ascii: "[") else {
            kind = .name
            return readName(host)
        }
        kind = .address
        return readAddress(host)
    }

    /// The range after the first label. Nil if the host has a single label or is an address.
    var parent: Range<Int>? {
        guard kind == .name else { return nil }
        let bytes = bytes.span
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != UInt8(ascii: ".") { index &+= 1 }
        guard index > range.lowerBound, index < range.upperBound else { return nil }
        return index &+ 1..<range.upperBound
    }

    private mutating func readName(_ host: Span<UInt8>) -> Bool {
        // in bounds: `read` takes no empty host
        let count = host[host.count &- 1] == UInt8(ascii: ".") ? host.count &- 1 : host.count
        guard (1...HostPattern.longestName).contains(count) else { return false }
        for index in 0..<count {
            let byte = host[index]
            bytes[index] = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        range = 0..<count
        return true
    }

    private mutating func readAddress(_ host: Span<UInt8>) -> Bool {
        guard host.count > 1, host[host.count &- 1] == UInt8(ascii: "]") else { return false }
        guard let address = IPAddress(ipv6: host.extracting(1..<host.count &- 1)) else { return false }
        for index in 0..<16 { bytes[index] = address.byte(at: index) }
        range = 0..<16
        return true
    }
}
