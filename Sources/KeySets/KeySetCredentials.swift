import NetworkNames

/// Credentials of the gateway for a key set's server. The files are read again for each fetch.
public struct KeySetCredentials: Sendable, Hashable {
    /// Paths of a client certificate in PEM, with its chain, and of its key.
    public struct Certificate: Sendable, Hashable {
        public let certificate: String
        public let key: String

        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Path of a file with a value of `Authorization`, or with a bearer token. Nil if `Authorization` is not sent.
    public var authorizationFile: String?
    public var certificate: Certificate?

    public init(authorizationFile: String? = nil, certificate: Certificate? = nil) {
        self.authorizationFile = authorizationFile
        self.certificate = certificate
    }
}

extension KeySetConfiguration {
    /// True if the credentials may be sent to a URL: the operator's own `jwks_uri`, or a URL with the issuer's origin.
    ///
    /// The author of a metadata document chooses the URL of the keys, and must not be able to get the credentials sent
    /// there.
    public func mayShowCredentials(at url: HTTPURL) -> Bool {
        switch source {
        case .file, .pemFile: return false
        case .jwkSetURL(let text): return HTTPURL(text) == url
        case .singleKeys(let place):
            guard let place = HTTPURL(place) else { return false }
            return place == url
                || place.scheme == url.scheme && place.host == url.host && place.port == url.port
                    && url.target.hasPrefix(place.target + "/")
        case .discovery, .metadata:
            guard let issuer = HTTPURL(issuer) else { return false }
            return issuer.scheme == url.scheme && issuer.host == url.host && issuer.port == url.port
        }
    }
}
