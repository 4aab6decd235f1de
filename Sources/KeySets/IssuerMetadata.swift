import NetworkNames
import StrictJSON

/// Metadata of an issuer (OpenID Connect Discovery 1.0 §3, RFC 8414 §2), with the members that are used here.
public struct IssuerMetadata: Sendable, Hashable {
    /// The `issuer` of the document, equal to the expected issuer.
    public let issuer: String
    /// URL of the key set, on any https host. The address that its host name resolves to is *not* checked here.
    public let jwkSetURL: HTTPURL
    /// Introspection endpoint (RFC 7662 §2), on any https host, or the reason why it is unknown. The keys are usable in
    /// both cases.
    public let introspectionEndpoint: Result<HTTPURL, IntrospectionEndpointRejection>
    /// Scopes that the metadata lists, which need not be all. Nil if it lists none.
    public let scopes: [String]?

    /// Reads a metadata document. Throws unless its `issuer` is the expected one, byte for byte (OpenID Connect
    /// Discovery 1.0 §4.3).
    ///
    /// - Parameter keysBelow: place that the key set must be below, on the same origin. Nil if it may be anywhere.
    public init(parsing bytes: Span<UInt8>, expectedIssuer: String, keysBelow: String? = nil)
        throws(IssuerMetadataRejection)
    {
        let document = try Self.parse(bytes)
        guard document.root.kind == .object else { throw .notJSONObject }
        guard let named = document.root["issuer"] else { throw .issuerMissing }
        guard let issuer = named.string else { throw .issuerNotString }
        guard issuer.utf8.elementsEqual(expectedIssuer.utf8) else { throw .issuerMismatch(found: issuer) }
        guard let address = document.root["jwks_uri"] else { throw .jwkSetURLMissing }
        guard let text = address.string, let url = HTTPURL(text) else { throw .jwkSetURLInvalid }
        guard Self.permits(url, expectedIssuer) else { throw .jwkSetURLNotHTTPS(text) }
        if let keysBelow, !url.isBelow(keysBelow) { throw .jwkSetURLElsewhere(text, place: keysBelow) }
        self.issuer = issuer
        jwkSetURL = url
        introspectionEndpoint = Result { () throws(IntrospectionEndpointRejection) in
            try Self.introspectionEndpoint(document.root["introspection_endpoint"], expectedIssuer)
        }
        scopes = document.root["scopes_supported"].flatMap {
            $0.kind == .array ? $0.elements.compactMap(\.string) : nil
        }
    }

    private static func introspectionEndpoint(_ named: JSONValue?, _ issuer: String)
        throws(IntrospectionEndpointRejection) -> HTTPURL
    {
        guard let named else { throw .missing }
        guard let text = named.string, let url = HTTPURL(text) else { throw .invalid }
        guard permits(url, issuer) else { throw .notHTTPS(text) }
        return url
    }

    /// True if the URL may be used. Plain http is permitted for loopback, and for issuers whose own URL is plain http.
    private static func permits(_ url: HTTPURL, _ issuer: String) -> Bool {
        url.scheme == .https || url.namesLoopback || HTTPURL(issuer)?.scheme == .http
    }

    private static func parse(_ bytes: Span<UInt8>) throws(IssuerMetadataRejection) -> JSONDocument {
        do {
            return try JSONDocument(parsing: bytes, limits: .document)
        } catch {
            throw .notJSON(error)
        }
    }
}

/// Reason why a metadata document cannot be used.
public enum IssuerMetadataRejection: Error, Sendable, Hashable {
    case notJSON(JSONRejection)
    case notJSONObject
    case issuerMissing
    case issuerNotString
    /// The document belongs to another issuer. `found` is the `issuer` of the document, an untrusted text.
    case issuerMismatch(found: String)
    case jwkSetURLMissing
    case jwkSetURLInvalid
    case jwkSetURLNotHTTPS(String)
    /// The key set is not below the issuer's own place.
    case jwkSetURLElsewhere(String, place: String)
}

extension IssuerMetadataRejection {
    /// True if the document is not metadata at all. False if it is metadata of a wrong issuer or with a wrong URL.
    public var isOfOtherDocument: Bool {
        switch self {
        case .notJSON, .notJSONObject, .issuerMissing, .issuerNotString, .jwkSetURLMissing: true
        case .issuerMismatch, .jwkSetURLInvalid, .jwkSetURLNotHTTPS, .jwkSetURLElsewhere: false
        }
    }
}

/// Reason why a metadata document does not provide the introspection endpoint.
public enum IntrospectionEndpointRejection: Error, Sendable, Hashable {
    case missing
    case invalid
    case notHTTPS(String)
}

extension IssuerMetadata {
    /// URLs at which an issuer's metadata can be, in the order of the requests: below the issuer's path (OpenID Connect
    /// Discovery 1.0 §4), then between its host and its path (RFC 8414 §3.1). Empty if the issuer is not a URL.
    public static func documentURLs(for issuer: String) -> [String] {
        guard let url = HTTPURL(issuer), !url.target.contains("?") else { return [] }
        let path = url.target.hasSuffix("/") ? url.target.dropLast() : url.target[...]
        let origin = "\(url.scheme.rawValue)://\(url.authority)"
        return [
            "\(origin)\(path)/.well-known/openid-configuration",
            "\(origin)/.well-known/oauth-authorization-server\(path)",
        ]
    }
}

extension HTTPURL {
    /// True if this URL is at the same origin as a place, and its path begins with that of the place. A path that a
    /// server could read as leading elsewhere is not below it.
    fileprivate func isBelow(_ place: String) -> Bool {
        guard let place = HTTPURL(place), scheme == place.scheme, host == place.host, port == place.port else {
            return false
        }
        let path = target.prefix { $0 != "?" }
        guard path.utf8.starts(with: place.target.utf8), path.utf8.count > place.target.utf8.count else { return false }
        return path.split(separator: "/").allSatisfy { !$0.mayLeadElsewhere }
    }
}

extension Substring {
    /// True for a segment that a server could read as `.` or `..`: plain, percent-encoded, or with parameters behind it
    /// (`..;x`). Also for one with a percent-encoded slash, backslash, semicolon or percent sign, because a second
    /// decoding would turn it into such a segment.
    fileprivate var mayLeadElsewhere: Bool {
        let text = lowercased()
        guard !["%2f", "%5c", "%3b", "%25"].contains(where: text.contains) else { return true }
        let name = text.replacing("%2e", with: ".").prefix { $0 != ";" }
        return name == "." || name == ".."
    }
}
