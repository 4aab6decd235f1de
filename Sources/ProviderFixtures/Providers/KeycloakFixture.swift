/// Keycloak: one realm.
enum KeycloakFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .keycloak,
            [
                SetupParameter("realm_url", .text("https://id.example/realms/shop")),
                SetupParameter("realm_roles", .boolean(true)),
            ],
            audiences: ["orders-api"], read: .scopes(["orders"]), write: .roles(["customer"]))
    ]

    static let keySets = [
        SampleKeySet(
            path: "/realms/shop/protocol/openid-connect/certs",
            discovery: [SampleDiscovery(below: "/realms/shop", issuer: "https://id.example/realms/shop")],
            keys: [SampleKeyEntry("kc1", .rsa), SampleKeyEntry("kc2", .rsaEncryption, signs: false)],
            caching: SampleCaching("no-cache"))
    ]

    static let orders = [SampleOrder("keycloak/access")]

    static let tokens: [SampleSource] = [
        SampleSource(
            "keycloak/access",
            header: #"{"alg":"RS256","typ":"JWT","kid":"kc1"}"#,
            payload: #"""
                {"exp":1790000900, "iat":1790000000, "jti":"onrtac:1", "iss":"https://id.example/realms/shop",
                 "aud":["orders-api","account"], "sub":"9d2f", "typ":"Bearer", "azp":"ios-app", "sid":"s9",
                 "realm_access":{"roles":["customer"]}, "resource_access":{"orders-api":{"roles":["order-read"]}},
                 "scope":"profile orders"}
                """#),
        SampleSource(
            "keycloak/id",
            header: #"{"alg":"RS256","typ":"JWT","kid":"kc1"}"#,
            payload: #"""
                {"exp":1790000900, "iat":1790000000, "jti":"2", "iss":"https://id.example/realms/shop", "aud":"ios-app",
                 "sub":"9d2f", "typ":"ID", "azp":"ios-app", "sid":"s9", "at_hash":"x"}
                """#,
            reason: "audience_mismatch"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "kc-1-id-token", base: "keycloak/id",
            setPayload: #"{"aud":["ios-app","orders-api"]}"#,
            reason: "not_access_token",
            why: "typ ID"),
        NearMissSource(
            "kc-2-account-only", base: "keycloak/access",
            setPayload: #"{"aud":"account"}"#,
            reason: "audience_mismatch",
            why: "default audience"),
        NearMissSource(
            "kc-3-refresh", base: "keycloak/access",
            setPayload: #"{"typ":"Refresh","aud":"https://id.example/realms/shop"}"#,
            reason: "audience_mismatch",
            why: "refresh token is a JWT as well"),
    ]
}
