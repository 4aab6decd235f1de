/// Source of an issuer's key set.
public enum KeySetSource: Sendable, Hashable {
    /// A file with a JWK set, read again when it changes.
    case file(path: String)
    /// The address of a JWK set, written by the operator (RFC 7517 §5).
    case jwkSetURL(String)
    /// The issuer whose metadata document names the address (OpenID Connect Discovery 1.0 §4, RFC 8414 §3).
    case discovery(issuer: String)
    /// A metadata document that names the address, at a URL the operator or a profile wrote; its host need not be the
    /// issuer's.
    case metadata(url: String)

    /// Whether a metadata document leads to the keys, which must then name the expected issuer.
    public var hasMetadata: Bool {
        switch self {
        case .file, .jwkSetURL: false
        case .discovery, .metadata: true
        }
    }

    /// One word for each kind.
    var kind: String {
        switch self {
        case .file: "file"
        case .jwkSetURL: "jwks_uri"
        case .discovery: "discovery"
        case .metadata: "metadata"
        }
    }
}

extension KeySetSource: CustomStringConvertible {
    /// The path or URL, as the operator wrote it.
    public var description: String {
        switch self {
        case .file(let path): path
        case .jwkSetURL(let url), .metadata(let url): url
        case .discovery(let issuer): issuer
        }
    }
}
