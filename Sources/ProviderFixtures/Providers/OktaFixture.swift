/// Samples of Okta: one custom authorization server.
enum OktaFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .okta, [SetupParameter("issuer", .text("https://kestrel.okta.com/oauth2/default"))],
            audiences: ["api://default"], read: .scopes(["orders:read"]), write: .scopes(["orders:write"]))
    ]

    static let keySets = [
        SampleKeySet(
            path: "/oauth2/default/v1/keys",
            discovery: [SampleDiscovery(below: "/oauth2/default", issuer: "https://kestrel.okta.com/oauth2/default")],
            keys: [SampleKeyEntry("g8Qp1mZx", .rsa)], caching: SampleCaching("max-age=3600, must-revalidate"))
    ]

    static let scopeClaims: [SampleScopeClaim] = [.list("scp")]

    static let orders = [SampleOrder("okta/access", reason: "insufficient_scope")]

    static let tokens: [SampleSource] = [
        SampleSource("okta/access"),
        SampleSource("okta/id", reason: "audience_mismatch"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "okta-1-org-as", base: "okta/access",
            setPayload: #"{"iss":"https://kestrel.okta.com","aud":"https://kestrel.okta.com"}"#,
            reason: "issuer_mismatch",
            why: "org authorization server"),
        NearMissSource(
            "okta-2-other-as", base: "okta/access",
            setPayload: #"{"iss":"https://kestrel.okta.com/oauth2/aus77"}"#,
            reason: "issuer_mismatch",
            why: "other authorization server, same org"),
        NearMissSource(
            "okta-3-scp-as-string", base: "okta/access",
            setPayload: #"{"scp":"orders:readwrite"}"#,
            reason: "insufficient_scope",
            why: "no substring match; a string is one scope list, not a prefix"),
    ]
}
