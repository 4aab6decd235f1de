import KeySets
import NetworkNames

/// Introspection endpoint of an issuer, or the document from which it is learnt.
public enum IntrospectionEndpoint: Sendable, Hashable {
    /// The operator configured the URL, so its address may be of any class.
    case configured(HTTPURL)
    /// The issuer's metadata names the URL (RFC 8414 §2). Its address must not be in a more private network than the
    /// document's own address.
    case learnt(from: IssuerDocument)
}

extension IntrospectionEndpoint {
    /// Document that names the endpoint. Nil if the configuration file does.
    public var document: IssuerDocument? {
        if case .learnt(let document) = self { document } else { nil }
    }
}

extension IntrospectionEndpoint: CustomStringConvertible {
    /// URL of the endpoint, or the source that names it.
    public var description: String {
        switch self {
        case .configured(let url): url.text
        case .learnt(let document): "learnt from \(document.source)"
        }
    }
}

/// A metadata document, with the connection settings and trust anchors of the key set whose configuration names it.
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

    /// Takes the document from a key set's configuration. Nil if the key set has no metadata document.
    public init?(of keySet: KeySetConfiguration) {
        guard keySet.source.hasMetadata else { return nil }
        source = keySet.source
        issuer = keySet.issuer
        caFile = keySet.caFile
        allowsPlainHTTP = keySet.allowsPlainHTTP
        credentials = keySet.credentials
    }

    /// Configuration for the code that fetches the document: that of the key set with the same document.
    public var configuration: KeySetConfiguration {
        var configuration = KeySetConfiguration(
            source: source, issuer: issuer, caFile: caFile, allowsPlainHTTP: allowsPlainHTTP)
        configuration.credentials = credentials
        return configuration
    }
}
