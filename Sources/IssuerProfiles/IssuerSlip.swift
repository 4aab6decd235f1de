import NetworkNames

/// Mistake in the configuration: the URL of an issuer's document or endpoint, written instead of the issuer.
public struct IssuerSlip: Sendable, Hashable {
    /// The issuer that the URL probably belongs to. Nil if the URL only looks like an endpoint and may be an issuer.
    public let issuer: String?
    private let written: String

    /// Last path segments of endpoints. `token` is not among them: the `iss` of WSO2 and Asgardeo ends with it.
    private static let endpoints: Set<String> = [
        "authorize", "certs", "introspect", "jwks", "jwks.json", "jwks_uri", "keys", "openid-configuration",
        "openid_configuration",
        "userinfo",
    ]

    /// Returns nil if the URL does not look like a document or an endpoint.
    public init?(_ url: HTTPURL) {
        let path = url.target.prefix { $0 != "?" }
        let segments = path.split(separator: "/").map(String.init)
        written = "\(url.scheme.rawValue)://\(url.authority)\(path)"
        guard let rest = Self.withoutDocument(segments) else {
            guard let last = segments.last, Self.endpoints.contains(last.lowercased()) else { return nil }
            issuer = nil
            return
        }
        issuer = "\(url.scheme.rawValue)://\(url.authority)" + rest.map { "/" + $0 }.joined()
    }

    /// Path segments of the issuer, if the URL is one of a document or of a Keycloak endpoint. Otherwise nil.
    ///
    /// `.well-known` and one more segment follow the issuer's path (OpenID Connect Discovery §4) or precede it (RFC
    /// 8414 §3.1). Keycloak's endpoints are below `protocol/openid-connect`.
    private static func withoutDocument(_ segments: [String]) -> [String]? {
        let lower = segments.map { $0.lowercased() }
        if let index = lower.firstIndex(of: ".well-known") {
            return Array(segments.prefix(index) + segments.dropFirst(index + 2))
        }
        let keycloak = zip(lower, lower.dropFirst()).enumerated().first { $0.element == ("protocol", "openid-connect") }
        return keycloak.map { Array(segments.prefix($0.offset)) }
    }

    /// Description of the mistake, for the report on the configuration.
    public var message: String {
        issuer == nil
            ? "`\(written)` looks like an endpoint of the issuer, not like the issuer"
            : "`\(written)` is the URL of a document or an endpoint of the issuer, not the issuer itself"
    }

    /// Advice on what to write instead, and what to do if the URL really is the issuer.
    public var hint: String {
        guard let issuer else { return "write the `iss` of its tokens; if this is it, name its keys by `jwks_uri`" }
        return "write the `iss` of its tokens, such as `\(issuer)`"
    }
}
