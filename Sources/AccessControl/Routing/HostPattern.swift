/// The host of a place.
enum HostPattern: Sendable, Hashable {
    case any
    /// Lower-case, without a final dot; an IPv4 address is a name too.
    case name(String)
    /// `*.` and this: exactly one label before it.
    case subdomain(of: String)
    case address(IPv6Address)
}

extension HostPattern {
    /// Longer names do not exist (RFC 1035 §2.3.4).
    static let longestName = 253
    private static let longestLabel = 63

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

    private static func address(_ text: Substring) throws(PlaceRejection) -> IPv6Address {
        let bytes = [UInt8](text.utf8.dropFirst().dropLast())
        guard text.utf8.last == UInt8(ascii: "]"), let address = IPv6Address(bytes.span) else { throw .invalidAddress(String(text)) }
        return address
    }

    private static func name(_ text: Substring) throws(PlaceRejection) -> String {
        guard !text.utf8.contains(UInt8(ascii: "*")) else { throw .wildcardHost(String(text)) }
        var name = text.lowercased()
        if name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= longestName, labels.allSatisfy(isLabel) else { throw .invalidHost(String(text)) }
        // What ends in a number is an IPv4 address, and other readers know more spellings of those: "127.1", "0177.0.0.1".
        let bytes = [UInt8](name.utf8)
        if let last = labels.last, last.utf8.first.map(isDigit) == true, IPv4Literal.value(of: bytes.span) == nil, isNumber(last) {
            throw .invalidAddress(String(text))
        }
        return name
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...longestLabel).contains(label.utf8.count)
            && label.utf8.allSatisfy { byte in
                isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }

    private static func isNumber(_ label: Substring) -> Bool {
        label.utf8.allSatisfy(isDigit) || (label.hasPrefix("0x") && label.utf8.dropFirst(2).allSatisfy { PathCharacters.digit($0) != nil })
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension HostPattern: CustomStringConvertible {
    var description: String {
        switch self {
        case .any: ""
        case .name(let name): name
        case .subdomain(let name): "*." + name
        case .address(let address): "[\(address)]"
        }
    }
}
