/// Samples of Clerk: one instance whose session tokens got an audience.
enum ClerkFixture: ProviderFixture {
    static let setups: [ProviderSetup] = {
        let standard = ProviderSetup(
            .clerk, [SetupParameter("frontend_api", .text("https://clerk.kaasik.example"))],
            audiences: ["orders-api"], read: .authenticated, write: .roles(["admin"]))
        return [standard, standard.varied(as: "oauth", [SetupParameter("tokens", .text("oauth"))])]
    }()

    static let keySets = [
        SampleKeySet(
            path: "/.well-known/jwks.json", discovery: [SampleDiscovery(issuer: "https://clerk.kaasik.example")],
            keys: [SampleKeyEntry("ins_2Kp7", .rsa)], caching: .unsaid)
    ]

    static let orders = [SampleOrder("clerk/session", reason: "role_required")]

    static let tokens: [SampleSource] = [
        SampleSource("clerk/session"),
        SampleSource("clerk/no-audience", reason: "audience_mismatch"),
        SampleSource("clerk/oauth", variant: "oauth"),
        SampleSource("clerk/template", reason: "not_access_token"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "clerk-1-oauth-as-session", base: "clerk/oauth",
            reason: "not_access_token",
            why: "an OAuth application's token, for its own scopes"),
        NearMissSource(
            "clerk-2-session-as-oauth", base: "clerk/session",
            variant: "oauth",
            reason: "typ_mismatch",
            why: "typ is JWT"),
        NearMissSource(
            "clerk-3-pending-session", base: "clerk/session",
            setPayload: #"{"sts":"pending"}"#,
            reason: "claim_invalid",
            why: "the user has not finished signing in"),
        NearMissSource(
            "clerk-4-other-instance", base: "clerk/session",
            setPayload: #"{"iss":"https://kaasik.clerk.accounts.dev"}"#,
            reason: "issuer_mismatch",
            why: "the development instance"),
    ]
}
