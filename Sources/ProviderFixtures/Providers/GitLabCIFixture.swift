/// Samples of GitLab CI/CD: jobs of one namespace.
enum GitLabCIFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .gitLabCI, [SetupParameter("namespaces", .list(["kaasik"]))],
            audiences: ["orders-api"], read: .authenticated, write: .authenticated)
    ]

    static let keySets = [
        SampleKeySet(
            path: "/oauth/discovery/keys", discovery: [SampleDiscovery(issuer: "https://gitlab.com")],
            keys: [SampleKeyEntry("gl1", .rsa), SampleKeyEntry("gl2", .rsa)], caching: .unsaid)
    ]

    static let orders = [SampleOrder("gitlab-ci/job")]

    static let tokens: [SampleSource] = [
        SampleSource("gitlab-ci/job"),
        SampleSource("gitlab-ci/sign-in", reason: "not_access_token"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "gl-1-other-namespace", base: "gitlab-ci/job",
            setPayload: #"{"namespace_path":"fremd","project_path":"fremd/shop"}"#,
            reason: "tenant_not_allowed",
            why: "another group of the same instance"),
        NearMissSource(
            "gl-2-subgroup", base: "gitlab-ci/job",
            setPayload: #"{"namespace_path":"kaasik/backend","project_path":"kaasik/backend/shop"}"#,
            reason: "tenant_not_allowed",
            why: "a subgroup is a namespace of its own"),
        NearMissSource(
            "gl-3-other-audience", base: "gitlab-ci/job",
            setPayload: #"{"aud":"https://vault.example"}"#,
            reason: "audience_mismatch",
            why: "the id token for another service"),
        NearMissSource(
            "gl-4-other-instance", base: "gitlab-ci/job",
            setPayload: #"{"iss":"https://gitlab.example.com"}"#,
            reason: "issuer_mismatch",
            why: "a job of another instance"),
    ]
}
