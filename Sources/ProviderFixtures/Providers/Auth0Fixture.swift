/// Auth0: one tenant whose API has RBAC.
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
        SampleSource(
            "auth0/access",
            header: #"{"alg":"RS256","typ":"JWT","kid":"Vb2nLr8KpWc5dHs1uYeA0"}"#,
            payload: #"""
                {"iss":"https://kestrel.eu.auth0.com/", "sub":"auth0|64f1c2",
                 "aud":["https://orders.example/api","https://kestrel.eu.auth0.com/userinfo"], "iat":1790000000,
                 "exp":1790086400, "azp":"Hx7qTn2LzR8vYc1K", "scope":"openid orders:read", "permissions":["orders:read"]}
                """#),
        SampleSource(
            "auth0/id",
            header: #"{"alg":"RS256","typ":"JWT","kid":"Vb2nLr8KpWc5dHs1uYeA0"}"#,
            payload: #"""
                {"iss":"https://kestrel.eu.auth0.com/", "sub":"auth0|64f1c2", "aud":"Hx7qTn2LzR8vYc1K", "iat":1790000000,
                 "exp":1790036000, "nonce":"n1", "sid":"s1", "name":"Mira"}
                """#,
            reason: "audience_mismatch"),
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
