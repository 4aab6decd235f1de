import NetworkNames

/// With what a key set's server is shown who asks; the files are read anew for each fetch.
public struct KeySetCredentials: Sendable, Hashable {
    /// The paths of a certificate in PEM, with its chain, and of its key.
    public struct Certificate: Sendable, Hashable {
        public let certificate: String
        public let key: String

        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// The path of a file with a value of `Authorization`, or a bearer token.
    public var authorizationFile: String?
    public var certificate: Certificate?

    public init(authorizationFile: String? = nil, certificate: Certificate? = nil) {
        self.authorizationFile = authorizationFile
        self.certificate = certificate
    }
}

extension KeySetConfiguration {
    /// Whether the credentials may be shown at a URL: the operator's own `jwks_uri`, or one of the issuer's own origin.
    ///
    /// Whoever writes the metadata document says where the keys are, and must not be able to have the credentials sent
    /// there.
    public func mayShowCredentials(at url: HTTPURL) -> Bool {
        switch source {
        case .file: return false
        case .jwkSetURL(let text): return HTTPURL(text) == url
        case .discovery, .metadata:
            guard let issuer = HTTPURL(issuer) else { return false }
            return issuer.scheme == url.scheme && issuer.host == url.host && issuer.port == url.port
        }
    }
}
