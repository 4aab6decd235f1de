import NetworkNames

/// The address of a document or an endpoint of an issuer, written where the issuer itself is expected.
public struct IssuerSlip: Sendable, Hashable {
    /// The issuer that the address probably belongs to. Nil if it may be an issuer itself, and only looks like such an
    /// address.
    public let issuer: String?
    private let written: String

    /// Last segments of such addresses. `token` is none of them: the `iss` of WSO2 and Asgardeo ends with it.
    private static let endpoints: Set<String> = [
        "authorize", "certs", "introspect", "jwks", "jwks.json", "jwks_uri", "keys", "openid-configuration",
        "openid_configuration",
        "userinfo",
    ]

    /// Returns nil if nothing tells that it is one.
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

    /// The path of the issuer, if the rest is one that no issuer has.
    ///
    /// `.well-known` and one more segment stand behind the issuer's path (OpenID Connect Discovery §4) or before it
    /// (RFC 8414 §3.1). Keycloak's endpoints stand behind `protocol/openid-connect`.
    private static func withoutDocument(_ segments: [String]) -> [String]? {
        let lower = segments.map { $0.lowercased() }
        if let index = lower.firstIndex(of: ".well-known") {
            return Array(segments.prefix(index) + segments.dropFirst(index + 2))
        }
        let keycloak = zip(lower, lower.dropFirst()).enumerated().first { $0.element == ("protocol", "openid-connect") }
        return keycloak.map { Array(segments.prefix($0.offset)) }
    }

    /// Description of the mistake.
    public var message: String {
        issuer == nil
            ? "`\(written)` looks like an endpoint of the issuer, not like the issuer"
            : "`\(written)` is where a document or an endpoint of the issuer is, not the issuer"
    }

    /// Advice on what to write instead, and what to do if an issuer is meant.
    public var hint: String {
        guard let issuer else { return "write the `iss` of its tokens; if this is it, name its keys by `jwks_uri`" }
        return "write the `iss` of its tokens, such as `\(issuer)`"
    }
}
