/// Samples of Azure AD B2C: one tenant with a user flow and a custom policy.
enum AzureB2CFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .azureB2C,
            [
                SetupParameter("tenant_name", .text("rotkiefer")),
                SetupParameter("tenant_id", .text("c19e5f08-43a7-4d96-b20c-fa6817d3e592")),
                SetupParameter("policies", .list(["B2C_1_susi", "B2C_1A_signup"])),
            ],
            keySets: .named(["B2C_1_susi", "B2C_1A_signup"]), audiences: ["6e70b3c5-d812-4f49-a3e6-910f5c8b27d4"],
            read: .scopes(["tasks.read"]), write: .scopes(["tasks.write"]))
    ]

    /// One key set for each policy. User flows share one key with all other tenants; custom policies have their own.
    static let keySets = [
        policy("B2C_1_susi", SampleKeyEntry("X5eXk4xyojNFum1kl2Ytv8dlNP4-c57dO6QGTVBwaNk", .userFlow)),
        policy("B2C_1A_signup", SampleKeyEntry("CustomPolicyKey1", .customPolicy)),
    ]

    private static func policy(_ policy: String, _ key: SampleKeyEntry) -> SampleKeySet {
        let base = "/rotkiefer.onmicrosoft.com/" + policy
        let issuer = "https://rotkiefer.b2clogin.com/c19e5f08-43a7-4d96-b20c-fa6817d3e592/v2.0/"
        return SampleKeySet(
            policy, path: base + "/discovery/v2.0/keys",
            discovery: [SampleDiscovery(below: base + "/v2.0", issuer: issuer)],
            keys: [key], caching: .microsoft)
    }

    static let scopeNaming: ScopeNaming? = ScopeNaming(
        prefix: "https://rotkiefer.onmicrosoft.com/tasks-api/", isLeftOutOfTokens: true)
    static let scopeClaims: [SampleScopeClaim] = [.text("scp")]

    static let orders = [SampleOrder("b2c/access")]

    static let tokens: [SampleSource] = [
        SampleSource("b2c/access"),
        SampleSource("b2c/id", reason: "audience_mismatch"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "b2c-1-password-reset-policy", base: "b2c/access",
            setPayload: #"{"tfp":"B2C_1_pwreset"}"#,
            reason: "policy_not_allowed",
            why: "same tenant, key, audience; wrong flow"),
        NearMissSource(
            "b2c-2-other-tenant-global-key", base: "b2c/access",
            setPayload: #"{"iss":"https://fremd.b2clogin.com/0b7e2d94-6f1a-4c38-95d0-83c7b1fa62e5/v2.0/"}"#,
            reason: "issuer_mismatch",
            why: "the user-flow key is shared by all B2C tenants"),
        NearMissSource(
            "b2c-3-no-slash", base: "b2c/access",
            setPayload: #"{"iss":"https://rotkiefer.b2clogin.com/c19e5f08-43a7-4d96-b20c-fa6817d3e592/v2.0"}"#,
            reason: "issuer_mismatch",
            why: "trailing slash is part of the issuer"),
        NearMissSource(
            "b2c-4-id-token-own-client-id", base: "b2c/id",
            setPayload: #"{"aud":"6e70b3c5-d812-4f49-a3e6-910f5c8b27d4"}"#,
            reason: "not_access_token",
            why: "no scp"),
        NearMissSource(
            "b2c-5-key-of-other-policy", base: "b2c/access",
            setHeader: #"{"kid":"CustomPolicyKey1"}"#,
            signedBy: .key("CustomPolicyKey1"),
            reason: "policy_not_allowed",
            why: "kid comes from B2C_1A_signup's JWKS, token claims B2C_1_susi"),
        NearMissSource(
            "b2c-6-tfp-acr-conflict", base: "b2c/access",
            setPayload: #"{"acr":"b2c_1_pwreset"}"#,
            reason: "policy_not_allowed",
            why: "two policy claims disagree"),
    ]
}
