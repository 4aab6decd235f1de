import NetworkNames

/// The host of a place, with or without a wildcard.
enum HostPattern: Sendable, Hashable {
    case any
    /// A name in lower case without a final dot. An IPv4 address counts as a name.
    case name(String)
    /// Exactly one label in front of this name, written `*.name`.
    case subdomain(of: String)
    /// An IPv6 address. (An IPv4 address is a `name`.)
    case address(IPAddress)
}

extension HostPattern {
    /// Length limit of a name in bytes. Longer names do not exist (RFC 1035 §2.3.4).
    static let longestName = 253
    static let longestLabel = 63

    /// Reads a host without its port: a name, `*.` and a name, or an IPv6 address in brackets.
    init(_ text: Substring) throws(PlaceRejection) {
        guard !text.isEmpty else { throw .missingHost }
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .nonASCIIHost(String(text)) }
        if text.utf8.first == UInt8(ascii: "[") {
            self = .address(try Self.address(text))
        } else if text.utf8.contains(UInt8(ascii: "*")) {
            guard text.hasPrefix("*.") else { throw .wildcardHost(String(text)) }
            self = .subdomain(of: try Self.name(text.dropFirst(2)))
        } else {
            self = .name(try Self.name(text))
        }
    }

    private static func address(_ text: Substring) throws(PlaceRejection) -> IPAddress {
        let inside = text.utf8.dropFirst().dropLast()
        guard text.utf8.last == UInt8(ascii: "]"), let address = IPAddress(ipv6: inside.span) else {
            throw .invalidAddress(String(text))
        }
        return address
    }

    private static func name(_ text: Substring) throws(PlaceRejection) -> String {
        guard !text.utf8.contains(UInt8(ascii: "*")) else { throw .wildcardHost(String(text)) }
        var name = text.lowercased()
        if name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= longestName, labels.allSatisfy(isLabel) else { throw .invalidHost(String(text)) }
        // A host that ends in a number is an IPv4 address, and other readers know more spellings of those: "127.1",
        // "0177.0.0.1".
        if let last = labels.last, HostName.isNumber(lastLabel: last.utf8.span), IPAddress(ipv4: name.utf8.span) == nil
        {
            throw .invalidAddress(String(text))
        }
        return name
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...longestLabel).contains(label.utf8.count)
            && label.utf8.allSatisfy(ASCII.isHostByte)
    }
}

extension HostPattern: CustomStringConvertible {
    var description: String {
        switch self {
        case .any: ""
        case .name(let name): name
        case .subdomain(let name): "*." + name
        case .address(let address):
            "[" + (0..<8).map { String(address.group(at: $0), radix: 16) }.joined(separator: ":") + "]"
        }
    }
}
