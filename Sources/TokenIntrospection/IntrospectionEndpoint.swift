import KeySets
import NetworkNames

/// Introspection endpoint of an issuer, or the way to learn it.
public enum IntrospectionEndpoint: Sendable, Hashable {
    /// The operator wrote it, so its address may be of any class.
    case configured(HTTPURL)
    /// The issuer's metadata names it (RFC 8414 §2), and it may lead to no narrower network than that document's own
    /// address.
    case learnt(from: IssuerDocument)
}

extension IntrospectionEndpoint {
    /// Document that names the endpoint. Nil if the file does.
    public var document: IssuerDocument? {
        if case .learnt(let document) = self { document } else { nil }
    }
}

extension IntrospectionEndpoint: CustomStringConvertible {
    /// The endpoint, or what names it.
    public var description: String {
        switch self {
        case .configured(let url): url.text
        case .learnt(let document): "learnt from \(document.source)"
        }
    }
}

/// A metadata document, and how it is reached and believed: what a key set's configuration says of the way to it.
public struct IssuerDocument: Sendable, Hashable {
    public let source: KeySetSource
    /// The `issuer` that the document must name, byte for byte.
    public let issuer: String
    /// File of trust anchors in PEM that replace the system's. Nil if the system's apply.
    public let caFile: String?
    /// Permits plain http to addresses that are not loopback.
    public let allowsPlainHTTP: Bool
    /// Credentials for the document's server. Nil if none are sent.
    public let credentials: KeySetCredentials?

    /// Nil if no metadata leads to these keys.
    public init?(of keySet: KeySetConfiguration) {
        guard keySet.source.hasMetadata else { return nil }
        source = keySet.source
        issuer = keySet.issuer
        caFile = keySet.caFile
        allowsPlainHTTP = keySet.allowsPlainHTTP
        credentials = keySet.credentials
    }

    /// For what fetches it: the key set that the same document leads to.
    public var configuration: KeySetConfiguration {
        var configuration = KeySetConfiguration(
            source: source, issuer: issuer, caFile: caFile, allowsPlainHTTP: allowsPlainHTTP)
        configuration.credentials = credentials
        return configuration
    }
}
