/// Reason why a text is not a place.
public enum PlaceRejection: Error, Hashable, Sendable {
    /// The text is empty.
    case empty
    /// The `at` entry begins with `scheme://`.
    case scheme
    /// A user name or password before the host.
    case userinfo
    /// The text has a query.
    case query
    /// The text has a fragment.
    case fragment
    /// A port or an identifier without a host.
    case missingHost
    /// A host that is not a name: labels of 1–63 letters, digits, `-` and `_`, at most 253 bytes.
    case invalidHost(String)
    /// A host with non-ASCII characters. Requests carry its A-label form (`xn--`, RFC 5890 §2.3.2.1).
    case nonASCIIHost(String)
    /// A bracketed text that is not an IPv6 address, or a number that is not an IPv4 address in dotted-decimal form.
    case invalidAddress(String)
    /// An IPv6 address without brackets.
    case unbracketedAddress(String)
    /// A `*` that is not `*.` before a name, or one in a resource identifier.
    case wildcardHost(String)
    /// A port outside 1–65535.
    case invalidPort(String)
    /// A `*`, `{` or `}` in the path. A place's path is a literal prefix and covers everything below it.
    case wildcardPath
    /// A path without a canonical form.
    case path(PathRejection)
}
