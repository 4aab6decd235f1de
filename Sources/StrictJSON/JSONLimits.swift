/// Limits of size and nesting. A JSON text beyond them is refused before it is parsed.
public struct JSONLimits: Sendable, Hashable {
    /// Limit of the depth of nested arrays and objects; the top level counts as one. At most ``greatestDepth`` takes
    /// effect.
    public var depth: Int
    /// Limit of the number of members in one object, at any level.
    public var members: Int
    /// Limit of the size of the whole text, in bytes.
    public var bytes: Int

    public init(depth: Int = 16, members: Int = 128, bytes: Int) {
        self.depth = depth
        self.members = members
        self.bytes = bytes
    }

    /// Upper limit of `depth`, because the scan that counts the depth has fixed storage.
    public static let greatestDepth = 64

    /// Limits of a decoded JOSE header (RFC 7515 §4). Its limit in bytes also bounds the number of members.
    public static let joseHeader = JSONLimits(depth: greatestDepth, members: .max, bytes: 2 * 1024)
    /// Limits of a decoded JWT claims set (RFC 7519 §4). The limit of the header field with the token bounds its size
    /// and number of members.
    public static let claimsSet = JSONLimits(depth: greatestDepth, members: .max, bytes: .max)
    /// Limits of a JWK set (RFC 7517 §5).
    public static let keySet = JSONLimits(members: 1100, bytes: 256 * 1024)
    /// Limits of any other document from a configured party, such as issuer metadata.
    public static let document = JSONLimits(members: 1100, bytes: 256 * 1024)
}
