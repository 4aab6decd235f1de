/// Amazon Cognito: one user pool.
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

    /// Access tokens and ID tokens have different keys.
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
        SampleSource(
            "cognito/access",
            header: #"{"kid":"Zm9vYmFyLi4uKg+/x1=","alg":"RS256"}"#,
            payload: #"""
                {"sub":"b1a2", "cognito:groups":["staff"],
                 "iss":"https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Ab12Cd34E", "version":2,
                 "client_id":"57cbishk4j24pabc1234567890", "origin_jti":"o1", "event_id":"e1", "token_use":"access",
                 "scope":"orders/read openid", "auth_time":1789999900, "exp":1790003600, "iat":1790000000, "jti":"j1",
                 "username":"mira"}
                """#),
        SampleSource(
            "cognito/id",
            header: #"{"kid":"T3RoZXJLZXk+/y2=","alg":"RS256"}"#,
            payload: #"""
                {"sub":"b1a2", "aud":"57cbishk4j24pabc1234567890",
                 "iss":"https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Ab12Cd34E", "cognito:username":"mira",
                 "token_use":"id", "auth_time":1789999900, "exp":1790003600, "iat":1790000000, "email_verified":true}
                """#,
            reason: "not_access_token"),
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
