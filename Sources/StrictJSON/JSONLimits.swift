/// Limits on size and depth of a JSON text, checked before it is parsed.
public struct JSONLimits: Sendable, Hashable {
    /// Nested arrays and objects, the top level counted as one; at most ``greatestDepth`` takes effect.
    public var depth: Int
    /// Members of one object, wherever it stands.
    public var members: Int
    /// Bytes of the whole text.
    public var bytes: Int

    public init(depth: Int = 16, members: Int = 128, bytes: Int) {
        self.depth = depth
        self.members = members
        self.bytes = bytes
    }

    /// No limit allows more nesting than this: the scan that counts depth has fixed storage.
    public static let greatestDepth = 64

    /// A JOSE header (RFC 7515 §4), decoded. What fits into its bytes bounds the rest.
    public static let joseHeader = JSONLimits(depth: greatestDepth, members: .max, bytes: 2 * 1024)
    /// A JWT claims set (RFC 7519 §4), decoded. How large it is, the limit of the field that has the token decides; and
    /// with that, how many members it has.
    public static let claimsSet = JSONLimits(depth: greatestDepth, members: .max, bytes: .max)
    /// A JWK set (RFC 7517 §5).
    public static let keySet = JSONLimits(members: 1100, bytes: 256 * 1024)
    /// Any other document a configured party sends, such as issuer metadata.
    public static let document = JSONLimits(members: 1100, bytes: 256 * 1024)
}
