/// The name of a subprotocol behind which a client offers its token, in any case: `bearer, TOKEN`.
public struct TokenProtocol: Hashable, Sendable {
    /// The usual name.
    public static let bearer = TokenProtocol(spelling: Array("bearer".utf8))

    /// The most bytes that a name may have.
    public static let longest = 64

    /// The name as it was written.
    public let spelling: [UInt8]

    private let lowercased: [UInt8]

    /// Returns nil unless the name is a token (RFC 6455 §4.1) of at most ``longest`` bytes, and no entry that holds a
    /// token itself.
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

    /// Whether the bytes are this name, in any case.
    func matches(_ name: Span<UInt8>) -> Bool {
        guard name.count == lowercased.count else { return false }
        for index in name.indices where ASCII.lowercased(name[index]) != lowercased[index] { return false }
        return true
    }

    /// The beginning of an entry that ends with a token, base64url-encoded.
    static let encodedPrefix: StaticString = "base64url.bearer.authorization."

    public static func == (left: TokenProtocol, right: TokenProtocol) -> Bool { left.lowercased == right.lowercased }

    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }
}
