/// GitLab CI/CD: jobs of one namespace.
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
        SampleSource(
            "gitlab-ci/job",
            header: #"{"kid":"gl1","typ":"JWT","alg":"RS256"}"#,
            payload: #"""
                {"namespace_id":"72", "namespace_path":"kaasik", "project_id":"20", "project_path":"kaasik/shop", "user_id":"1",
                 "user_login":"mira", "user_email":"mira@kaasik.example", "user_access_level":"developer", "pipeline_id":"574",
                 "pipeline_source":"push", "job_id":"302", "ref":"main", "ref_type":"branch", "ref_path":"refs/heads/main",
                 "ref_protected":"true", "runner_id":1, "runner_environment":"self-hosted", "project_visibility":"private",
                 "jti":"3b2f", "iat":1790000000, "nbf":1789999995, "exp":1790003600, "iss":"https://gitlab.com",
                 "sub":"project_path:kaasik/shop:ref_type:branch:ref:main", "aud":"orders-api"}
                """#),
        SampleSource(
            "gitlab-ci/sign-in",
            header: #"{"kid":"gl1","typ":"JWT","alg":"RS256"}"#,
            payload: #"""
                {"iss":"https://gitlab.com", "sub":"1", "aud":"orders-api", "iat":1790000000, "exp":1790007200, "auth_time":1789999900,
                 "sub_legacy":"9c1f", "nickname":"mira", "groups_direct":["kaasik"]}
                """#,
            reason: "not_access_token"),
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
