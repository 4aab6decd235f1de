/// Samples of Amazon Cognito: one user pool.
enum CognitoFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .cognito,
            [
                SetupParameter("user_pool_id", .text("eu-north-1_Ab12Cd34E")),
                SetupParameter("client_ids", .list(["57cbishk4j24pabc1234567890"])),
                SetupParameter("resource_server", .text("orders")),
            ],
            audiences: [], read: .scopes(["read"]), write: .scopes(["write"]))
    ]

    /// One key set with two keys: one signs access tokens, the other ID tokens.
    static let keySets = [
        SampleKeySet(
            path: "/eu-north-1_Ab12Cd34E/.well-known/jwks.json",
            discovery: [
                SampleDiscovery(
                    below: "/eu-north-1_Ab12Cd34E",
                    issuer: "https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Ab12Cd34E")
            ],
            keys: [SampleKeyEntry("T3RoZXJLZXk+/y2=", .rsa), SampleKeyEntry("Zm9vYmFyLi4uKg+/x1=", .rsa)],
            caching: .unsaid)
    ]

    static let scopeNaming: ScopeNaming? = ScopeNaming(prefix: "orders/", isLeftOutOfTokens: false)

    static let orders = [SampleOrder("cognito/access", reason: "insufficient_scope")]

    static let tokens: [SampleSource] = [
        SampleSource("cognito/access"),
        SampleSource("cognito/id", reason: "not_access_token"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "cog-1-id-token", base: "cognito/id",
            reason: "not_access_token",
            why: "token_use id"),
        NearMissSource(
            "cog-2-other-client", base: "cognito/access",
            setPayload: #"{"client_id":"otherclient"}"#,
            reason: "client_not_allowed",
            why: "client_id plays the audience"),
        NearMissSource(
            "cog-3-sdk-scope", base: "cognito/access",
            setPayload: #"{"scope":"aws.cognito.signin.user.admin"}"#,
            reason: "insufficient_scope",
            why: "no resource-server scope"),
    ]
}
