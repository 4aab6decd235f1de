/// Samples of GitHub Actions: jobs of one owner.
enum GitHubActionsFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .gitHubActions, [SetupParameter("owners", .list(["kaasik"]))],
            audiences: ["orders-api"], read: .authenticated, write: .authenticated)
    ]

    static let keySets = [
        SampleKeySet(
            path: "/.well-known/jwks",
            discovery: [SampleDiscovery(issuer: "https://token.actions.githubusercontent.com")],
            keys: [SampleKeyEntry("gha1", .rsa), SampleKeyEntry("gha2", .rsa)], caching: .unsaid)
    ]

    static let orders = [SampleOrder("github-actions/job")]

    static let tokens: [SampleSource] = [
        SampleSource("github-actions/job")
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "gha-1-other-owner", base: "github-actions/job",
            setPayload:
                #"{"repository":"fremd/shop","repository_owner":"fremd","sub":"repo:fremd/shop:ref:refs/heads/main"}"#,
            reason: "tenant_not_allowed",
            why: "anybody can have a job that asks for this audience"),
        NearMissSource(
            "gha-2-usual-audience", base: "github-actions/job",
            setPayload: #"{"aud":"https://github.com/kaasik"}"#,
            reason: "audience_mismatch",
            why: "asked for without an audience"),
        NearMissSource(
            "gha-3-enterprise", base: "github-actions/job",
            setPayload: #"{"iss":"https://token.actions.githubusercontent.com/fremd-oy"}"#,
            reason: "issuer_mismatch",
            why: "another enterprise"),
        NearMissSource(
            "gha-4-owner-by-case", base: "github-actions/job",
            setPayload: #"{"repository_owner":"Kaasik"}"#,
            reason: "tenant_not_allowed",
            why: "names are compared as they are"),
        NearMissSource(
            "gha-5-no-run", base: "github-actions/job",
            unsetPayload: ["run_id"],
            reason: "not_access_token",
            why: "no job"),
    ]
}
