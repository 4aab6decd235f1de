import JOSE
import KeySets
import TokenVerification

/// Profile of Auth0: one tenant, possibly with custom domains. `iss` follows the domain that the client used.
enum Auth0Profile: ProfileDefinition {
    static let title = "Auth0"
    static let answersIntrospection = true
    static let parameters: [ProfileParameter] = [
        .required(
            "domain", .text, "the domain that clients use, such as `example.eu.auth0.com`",
            example: "example.eu.auth0.com"),
        .extraIssuers(
            "`iss` at the tenant's other domains, such as `https://login.example.com/`",
            example: "https://login.example.com/"),
        .optional("rbac", .boolean, "`true` if `permissions` decides, not `scope`", .value("false"), example: "true"),
        .optional(
            "dialect", .words(of: Dialect.self), "`any`, or `rfc9068` if the API is set to that token profile",
            .value("any"),
            example: "rfc9068"),
        .clients("the ids of the applications that may use the API", example: "[8kJq2mWcVt0xZrLb5nYp]"),
    ]

    private static let displayClaims: Set<String> = [
        "name", "nickname", "given_name", "family_name", "picture", "email",
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let domain = reading.domain("domain")
        let others = reading.extraIssuers(ending: "/")
        let decidesByPermissions = reading.boolean("rbac")
        let dialect = reading.choice("dialect") ?? Dialect.any
        let clients = reading.texts("clients")
        guard let domain else { return nil }
        let main = "https://\(domain)/"
        var issuer = TrustedIssuer(
            name: name, identifiers: ([main] + others).map { IssuerIdentifier($0) }, algorithms: [.rs256, .ps256],
            tokenType: dialect.tokenType)
        issuer.clients = clients
        issuer.readClaims(
            scopes: [ClaimPath(member: decidesByPermissions ? "permissions" : "scope")], clients: clientClaims,
            organizations: [ClaimPath(member: "org_id")])
        issuer.hints = hints
        issuer.organizationHint = "The token has no organization, or another one. Sign in with organization=<id>."
        return issuer.profiled(keysAt: main + ".well-known/jwks.json", showing: displayClaims)
    }

    private static let clientClaims = [ClaimPath(member: "azp"), ClaimPath(member: "client_id")]

    private enum Dialect: String, CaseIterable {
        case any, rfc9068

        /// Rule that distinguishes access tokens from ID tokens: `typ` with `rfc9068`, otherwise a client claim (`azp`
        /// or `client_id`). An ID token has none; it names its client only as the audience.
        var tokenType: TokenTypeRule { self == .rfc9068 ? .accessTokenJWT : .claims([.some(clientClaims)]) }
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .opaqueNotSupported,
            "An opaque token, which only userinfo accepts: request the token with audience=<this API's identifier>."),
        IssuerHint(
            .malformed,
            "Perhaps an encrypted token, which only userinfo accepts: request the token with audience=<this API's identifier>."
        ),
        IssuerHint(
            .unsupportedHeader,
            "Perhaps an encrypted token, which only userinfo accepts: request it with audience=<this API's identifier>."
        ),
        IssuerHint(
            .audienceMismatch,
            "The token is for userinfo, for another API, or an ID token: request the token with audience=<this API's identifier>."
        ),
        IssuerHint(.notAccessToken, "An ID token: it names no client. Send the access token."),
        IssuerHint(
            .typeMismatch,
            "An ID token, or the API is not set to the RFC 9068 token profile: set it, or write dialect: any."),
        IssuerHint(
            .algorithmNotAllowed,
            "The API signs with HS256, which only Auth0 itself can verify: set its signing algorithm to RS256."),
        IssuerHint(.clientNotAllowed, "The application is not among clients."),
    ]
}
