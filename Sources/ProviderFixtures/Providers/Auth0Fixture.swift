/// Samples of Auth0: one tenant, whose API uses RBAC.
enum Auth0Fixture: ProviderFixture {
    private static let resource = "https://orders.example/api"

    static let setups = [
        ProviderSetup(
            .auth0, [SetupParameter("domain", .text("kestrel.eu.auth0.com")), SetupParameter("rbac", .boolean(true))],
            resource: resource, audiences: [resource],
            read: .scopes(["orders:read"]), write: .scopes(["orders:write"]))
    ]

    static let keySets = [
        SampleKeySet(
            path: "/.well-known/jwks.json", discovery: [SampleDiscovery(issuer: "https://kestrel.eu.auth0.com/")],
            keys: [SampleKeyEntry("Vb2nLr8KpWc5dHs1uYeA0", .rsa), SampleKeyEntry("Hk9tQz4XvRb7mJw2cLs6D", .rsa)],
            caching: .unsaid)
    ]

    static let scopeClaims: [SampleScopeClaim] = [.text("scope"), .list("permissions")]

    static let orders = [SampleOrder("auth0/access", reason: "insufficient_scope")]

    static let tokens: [SampleSource] = [
        SampleSource("auth0/access"),
        SampleSource("auth0/id", reason: "audience_mismatch"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "auth0-1-userinfo-only", base: "auth0/access",
            setPayload: #"{"aud":"https://kestrel.eu.auth0.com/userinfo"}"#,
            reason: "audience_mismatch",
            why: "token for userinfo"),
        NearMissSource(
            "auth0-2-no-slash", base: "auth0/access",
            setPayload: #"{"iss":"https://kestrel.eu.auth0.com"}"#,
            reason: "issuer_mismatch",
            why: "slash"),
        NearMissSource(
            "auth0-3-scope-without-permission", base: "auth0/access",
            setPayload: #"{"permissions":[]}"#,
            reason: "insufficient_scope",
            why: "RBAC profile: permissions decide"),
    ]
}
