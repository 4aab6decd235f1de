/// Reason why a text is not a place.
public enum PlaceRejection: Error, Hashable, Sendable {
    /// Nothing is written.
    case empty
    /// An `at` entry with `scheme://`.
    case scheme
    /// A name or password before the host.
    case userinfo
    /// A query.
    case query
    /// A fragment.
    case fragment
    /// A port or an identifier without a host.
    case missingHost
    /// A host that is no name: labels of 1–63 letters, digits, `-` and `_`, at most 253 bytes.
    case invalidHost(String)
    /// A host beyond ASCII: its A-label form (`xn--`) is what requests carry (RFC 5890 §2.3.2.1).
    case nonASCIIHost(String)
    /// Not an IPv6 address in brackets, or a number that is no IPv4 address in dotted-decimal form.
    case invalidAddress(String)
    /// An IPv6 address without its brackets.
    case unbracketedAddress(String)
    /// A `*` that is not `*.` before a name, or one in a resource identifier.
    case wildcardHost(String)
    /// A port that is not 1–65535.
    case invalidPort(String)
    /// A `*`, `{` or `}` in the path: a place's path is a literal prefix, and covers all below it.
    case wildcardPath
    /// The path has no canonical form.
    case path(PathRejection)
}
