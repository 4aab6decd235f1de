import JOSE

/// Samples of Cloudflare Access: one team with one application.
enum CloudflareAccessFixture: ProviderFixture {
    static let setups: [ProviderSetup] = {
        let standard = ProviderSetup(
            .cloudflareAccess, [SetupParameter("team_domain", .text("kaasik.cloudflareaccess.com"))],
            audiences: ["32eafc7626e974616deaf0dc3ce63d7b"], read: .authenticated, write: .authenticated)
        return [standard, standard.varied(as: "users-only", [SetupParameter("allow_service_tokens", .boolean(false))])]
    }()

    static let keySets = [
        SampleKeySet(
            path: "/cdn-cgi/access/certs", discovery: [],
            keys: [SampleKeyEntry("9338abe1baf2fe49", .rsa), SampleKeyEntry("b8c0d1e2f3a45566", .rsa)],
            caching: SampleCaching("max-age=14400"))
    ]

    static let orders = [SampleOrder("cloudflare-access/user")]

    static let tokens: [SampleSource] = [
        SampleSource("cloudflare-access/user"),
        SampleSource("cloudflare-access/service"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "cfa-1-other-application", base: "cloudflare-access/user",
            setPayload: #"{"aud":["97e2aae120121f902df8bc99fc345913"]}"#,
            reason: "audience_mismatch",
            why: "another application of the team"),
        NearMissSource(
            "cfa-2-team-token", base: "cloudflare-access/user",
            setPayload: #"{"type":"org"}"#,
            reason: "not_access_token",
            why: "the team's own token, for signing in to applications"),
        NearMissSource(
            "cfa-3-service-token-for-users", base: "cloudflare-access/service",
            variant: "users-only",
            reason: "client_not_allowed",
            why: "allow_service_tokens: false"),
        NearMissSource(
            "cfa-4-other-team", base: "cloudflare-access/user",
            setPayload: #"{"iss":"https://other.cloudflareaccess.com"}"#,
            reason: "issuer_mismatch",
            why: "another team"),
    ]
}
