/// Samples of Ory Hydra: one server whose access tokens are JWTs.
enum HydraFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .hydra, [SetupParameter("issuer", .text("https://hydra.example/"))],
            audiences: ["orders-api"], read: .scopes(["orders:read"]), write: .scopes(["orders:write"]))
    ]

    static let keySets = [
        SampleKeySet(
            path: "/.well-known/jwks.json", discovery: [SampleDiscovery(issuer: "https://hydra.example/")],
            keys: [SampleKeyEntry("hydra.jwt.access-token", .rsa), SampleKeyEntry("hydra.openid.id-token", .rsa)],
            caching: .unsaid)
    ]

    static let scopeClaims: [SampleScopeClaim] = [.list("scp")]

    static let orders = [SampleOrder("hydra/access", reason: "insufficient_scope")]

    static let tokens: [SampleSource] = [
        SampleSource("hydra/access"),
        SampleSource("hydra/no-audience", reason: "audience_mismatch"),
        SampleSource("hydra/id", reason: "audience_mismatch"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "hydra-1-id-token", base: "hydra/id",
            setPayload: #"{"aud":["orders-api"]}"#,
            reason: "not_access_token",
            why: "no client_id, and claims about the sign-in"),
        NearMissSource(
            "hydra-2-other-api", base: "hydra/access",
            setPayload: #"{"aud":["billing-api"]}"#,
            reason: "audience_mismatch",
            why: "the app asked for another audience"),
        NearMissSource(
            "hydra-3-empty-client", base: "hydra/access",
            setPayload: #"{"client_id":""}"#,
            reason: "not_access_token",
            why: "the jwt-bearer grant names no client"),
        NearMissSource(
            "hydra-4-no-final-slash", base: "hydra/access",
            setPayload: #"{"iss":"https://hydra.example"}"#,
            reason: "issuer_mismatch",
            why: "exact string, no slash normalisation"),
    ]
}
