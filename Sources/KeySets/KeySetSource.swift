/// Source of an issuer's key set.
public enum KeySetSource: Sendable, Hashable {
    /// A file with a JWK set, read again when it changes.
    case file(path: String)
    /// A file with one public key or certificate in PEM (RFC 7468), read again when it changes. The operator configures
    /// its key ID.
    case pemFile(path: String, keyID: String)
    /// The URL of a JWK set (RFC 7517 §5), configured by the operator.
    case jwkSetURL(String)
    /// An issuer whose metadata document names the URL of the key set (OpenID Connect Discovery 1.0 §4, RFC 8414 §3).
    case discovery(issuer: String)
    /// A metadata document that names the URL of the key set. The operator or a profile configures the document's URL;
    /// its host need not be the issuer's.
    case metadata(url: String)
    /// Keys in PEM that are fetched one by one, when a token names them: each at its key ID below this URL
    /// (``SingleKeyURL``).
    case singleKeys(below: String)

    /// True if a metadata document names the keys' URL. The document must name the expected issuer.
    public var hasMetadata: Bool {
        switch self {
        case .file, .pemFile, .jwkSetURL, .singleKeys: false
        case .discovery, .metadata: true
        }
    }

    /// Path of the source. Nil if it is fetched over the network.
    public var filePath: String? {
        switch self {
        case .file(let path), .pemFile(let path, _): path
        case .jwkSetURL, .discovery, .metadata, .singleKeys: nil
        }
    }

    /// The only key ID that the source can have. Nil if it can have any.
    public var soleKeyID: String? {
        if case .pemFile(_, let keyID) = self { keyID } else { nil }
    }

    /// True if each key is fetched alone. Such a set is empty until a token names a key.
    public var hasSingleKeys: Bool {
        if case .singleKeys = self { true } else { false }
    }

    /// Name of the kind of source in saved files.
    var kind: String {
        switch self {
        case .file: "file"
        case .pemFile: "pem_file"
        case .jwkSetURL: "jwks_uri"
        case .discovery: "discovery"
        case .metadata: "metadata"
        case .singleKeys: "single_keys"
        }
    }
}

extension KeySetSource: CustomStringConvertible {
    /// The path or URL, as the operator wrote it.
    public var description: String {
        switch self {
        case .file(let path), .pemFile(let path, _): path
        case .jwkSetURL(let url), .metadata(let url), .singleKeys(let url): url
        case .discovery(let issuer): issuer
        }
    }
}
