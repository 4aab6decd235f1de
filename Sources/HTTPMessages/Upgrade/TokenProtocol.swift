import NetworkNames

/// The name of a subprotocol that precedes a client's token, ignoring case: `bearer, TOKEN`.
public struct TokenProtocol: Hashable, Sendable {
    /// The usual name, `bearer`.
    public static let bearer = TokenProtocol(spelling: Array("bearer".utf8))

    /// Length limit of a name in bytes.
    public static let longest = 64

    /// The name in its original spelling.
    public let spelling: [UInt8]

    private let lowercased: [UInt8]

    /// Makes the name of a subprotocol. Nil unless it is a token (RFC 6455 §4.1) of at most ``longest`` bytes. Nil also
    /// for an entry that itself carries a token.
    public init?(_ name: String) {
        let spelling = Array(name.utf8)
        guard !spelling.isEmpty, spelling.count <= Self.longest, spelling.allSatisfy(ASCII.isToken),
            !spelling.span.hasPrefix(Self.encodedPrefix)
        else { return nil }
        self.init(spelling: spelling)
    }

    private init(spelling: [UInt8]) {
        self.spelling = spelling
        lowercased = spelling.map(ASCII.lowercased)
    }

    /// True if the bytes are this name, ignoring case.
    func matches(_ name: Span<UInt8>) -> Bool {
        guard name.count == lowercased.count else { return false }
        for index in name.indices where ASCII.lowercased(name[index]) != lowercased[index] { return false }
        return true
    }

    /// The beginning of an entry that ends with a base64url-encoded token.
    static let encodedPrefix: StaticString = "base64url.bearer.authorization."

    public static func == (left: TokenProtocol, right: TokenProtocol) -> Bool { left.lowercased == right.lowercased }

    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }
}
