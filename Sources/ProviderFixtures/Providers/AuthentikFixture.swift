/// Samples of authentik: one application.
enum AuthentikFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .authentik,
            [
                SetupParameter("host", .text("ak.example")),
                SetupParameter("application_slug", .text("orders")),
            ],
            audiences: ["aKcLient1"], read: .authenticated, write: .authenticated)
    ]

    static let keySets = [
        SampleKeySet(
            path: "/application/o/orders/jwks/",
            discovery: [
                SampleDiscovery(below: "/application/o/orders", issuer: "https://ak.example/application/o/orders/")
            ],
            keys: [SampleKeyEntry("ak1", .rsa)], caching: .unsaid)
    ]

    static let orders = [SampleOrder("authentik/access")]

    static let tokens: [SampleSource] = [
        SampleSource("authentik/access"),
        SampleSource("authentik/id", reason: "not_access_token"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "ak-1-id-token", base: "authentik/id",
            reason: "not_access_token",
            why: "no uid"),
        NearMissSource(
            "ak-2-other-slug", base: "authentik/access",
            setPayload: #"{"iss":"https://ak.example/application/o/wiki/"}"#,
            reason: "issuer_mismatch",
            why: "other application, maybe the same key"),
        NearMissSource(
            "ak-3-hs256", base: "authentik/access",
            setHeader: #"{"alg":"HS256"}"#,
            signedBy: .secret("client-secret"),
            reason: "alg_not_allowed",
            why: "symmetric algorithms are never acceptable with fetched keys"),
    ]
}
