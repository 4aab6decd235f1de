/// Samples of Keycloak: one realm.
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
        SampleSource("keycloak/access"),
        SampleSource("keycloak/id", reason: "audience_mismatch"),
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
