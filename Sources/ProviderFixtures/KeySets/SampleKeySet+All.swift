import JOSE

extension SampleKeySet {
    /// The key sets of a provider, the one of its usual tokens first.
    static func all(of name: ProviderName) -> [SampleKeySet] {
        switch name {
        case .entraExternal: entraExternal
        case .entraID: entraID
        case .azureB2C: azureB2C
        case .firebase: firebase
        case .logto: logto
        case .auth0: auth0
        case .okta: okta
        case .keycloak: keycloak
        case .cognito: cognito
        case .google: google
        case .zitadel: zitadel
        case .authentik: authentik
        case .gitHubActions: gitHubActions
        case .gitLabCI: gitLabCI
        case .kubernetes: kubernetes
        case .spiffe: spiffe
        }
    }

    /// The name of a key set where a provider has only one.
    public static let only = "keys"

    // MARK: Microsoft

    private static let entraExternal: [SampleKeySet] = {
        let tenant = "5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"
        let template = "https://{tenantid}.ciamlogin.com/{tenantid}/v2.0"
        return [
            SampleKeySet(
                only, path: "/\(tenant)/discovery/v2.0/keys",
                discovery: [
                    SampleDiscovery(below: "/\(tenant)/v2.0", issuer: "https://\(tenant).ciamlogin.com/\(tenant)/v2.0")
                ],
                keys: [
                    SampleKeyEntry("Qx3mT7vB2nLr8KpWc5dHs1uYeA0", .entra(issuer: template)),
                    SampleKeyEntry("Lw8dJ4zRk1VnXe6TbYq0GmHs3cU", .entra(issuer: template)),
                ],
                caching: .microsoft)
        ]
    }()

    private static let entraID: [SampleKeySet] = {
        let tenant = "7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755"
        let host = "https://login.microsoftonline.com"
        let template = host + "/{tenantid}/v2.0"
        let consumers = host + "/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
        return [
            SampleKeySet(
                "v2", path: "/common/discovery/v2.0/keys",
                discovery: [
                    SampleDiscovery(below: "/common/v2.0", issuer: template),
                    SampleDiscovery(below: "/\(tenant)/v2.0", issuer: host + "/\(tenant)/v2.0"),
                ],
                keys: [
                    SampleKeyEntry("aZ4kR9tXw1LmV7cQp3HbN6sYuD0", .entra(issuer: template)),
                    SampleKeyEntry(
                        "NextKeyJtFIBU4sQy9tWc2LmVp7", .entra(issuer: template, cloud: "microsoftonline.com")),
                    SampleKeyEntry("MsaKey8IIDH6M8c3cXoeojKme8J", .entra(issuer: consumers)),
                ],
                caching: .microsoft),
            SampleKeySet(
                "v1", path: "/common/discovery/keys",
                discovery: [
                    SampleDiscovery(below: "/common", issuer: "https://sts.windows.net/{tenantid}/"),
                    SampleDiscovery(below: "/\(tenant)", issuer: "https://sts.windows.net/\(tenant)/"),
                ],
                keys: [
                    SampleKeyEntry("aZ4kR9tXw1LmV7cQp3HbN6sYuD0", .entraV1),
                    SampleKeyEntry("NextKeyJtFIBU4sQy9tWc2LmVp7", .entraV1),
                ],
                caching: .microsoft),
        ]
    }()

    /// Each policy has its key set; user flows share one key with all other tenants, custom policies have their own.
    private static let azureB2C: [SampleKeySet] = [
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

    // MARK: Google

    private static let firebase: [SampleKeySet] = [
        SampleKeySet(
            "tokens", path: "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
            discovery: [
                SampleDiscovery(below: "/kestrel-demo-4411", issuer: "https://securetoken.google.com/kestrel-demo-4411")
            ],
            keys: [
                SampleKeyEntry("7c1f0a93b25de684c0f7a91e3d5b8620f4a7c9d1", .rsa),
                SampleKeyEntry("e92d5b04f1c87a36d0b9e5f2486c1a73d8e0b54f", .rsa),
            ],
            caching: .google),
        SampleKeySet(
            "session_cookies", path: "/v1/sessionCookiePublicKeys", discovery: [],
            keys: [SampleKeyEntry("aY3mQw", .rsa)],
            caching: .google),
    ]

    private static let google: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/oauth2/v3/certs", discovery: [SampleDiscovery(issuer: "https://accounts.google.com")],
            keys: [SampleKeyEntry("73e2", .rsa), SampleKeyEntry("b80f", .rsa)], caching: .google)
    ]

    // MARK: Others

    /// The key in use and, as after a change of the key's type, the previous one, which is RSA.
    private static let logto: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/oidc/jwks",
            discovery: [SampleDiscovery(below: "/oidc", issuer: "https://h7k2qd.logto.app/oidc")],
            keys: [
                SampleKeyEntry("iJ3hQm8vT1xLr6WbN0cYd5KpZs7UeA2gFo9XtVk4HnM", .ellipticCurve, algorithm: .es384),
                SampleKeyEntry("wQ5nB8rKz2XvL7cTd0HfY4mJs9GpUe1aRo6iVt3bExN", .rsaWithoutAlgorithm),
            ],
            caching: SampleCaching("no-cache, max-age=0, must-revalidate", hasValidator: true),
            mediaType: "application/jwk-set+json")
    ]

    private static let auth0: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/.well-known/jwks.json", discovery: [SampleDiscovery(issuer: "https://kestrel.eu.auth0.com/")],
            keys: [SampleKeyEntry("Vb2nLr8KpWc5dHs1uYeA0", .rsa), SampleKeyEntry("Hk9tQz4XvRb7mJw2cLs6D", .rsa)],
            caching: .unsaid)
    ]

    private static let okta: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/oauth2/default/v1/keys",
            discovery: [SampleDiscovery(below: "/oauth2/default", issuer: "https://kestrel.okta.com/oauth2/default")],
            keys: [SampleKeyEntry("g8Qp1mZx", .rsa)], caching: SampleCaching("max-age=3600, must-revalidate"))
    ]

    private static let keycloak: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/realms/shop/protocol/openid-connect/certs",
            discovery: [SampleDiscovery(below: "/realms/shop", issuer: "https://id.example/realms/shop")],
            keys: [SampleKeyEntry("kc1", .rsa), SampleKeyEntry("kc2", .rsaEncryption, signs: false)],
            caching: SampleCaching("no-cache"))
    ]

    /// Access tokens and ID tokens have different keys.
    private static let cognito: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/eu-north-1_Ab12Cd34E/.well-known/jwks.json",
            discovery: [
                SampleDiscovery(
                    below: "/eu-north-1_Ab12Cd34E",
                    issuer: "https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Ab12Cd34E")
            ],
            keys: [SampleKeyEntry("T3RoZXJLZXk+/y2=", .rsa), SampleKeyEntry("Zm9vYmFyLi4uKg+/x1=", .rsa)],
            caching: .unsaid)
    ]

    private static let zitadel: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/oauth/v2/keys", discovery: [SampleDiscovery(issuer: "https://kestrel.zitadel.cloud")],
            keys: [
                SampleKeyEntry("280543383892525058", .rsa),
                SampleKeyEntry("281697442907361282", .ellipticCurve, algorithm: .es256),
            ],
            caching: SampleCaching("max-age=300, must-revalidate"))
    ]

    private static let authentik: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/application/o/orders/jwks/",
            discovery: [
                SampleDiscovery(below: "/application/o/orders", issuer: "https://ak.example/application/o/orders/")
            ],
            keys: [SampleKeyEntry("ak1", .rsa)], caching: .unsaid)
    ]

    // MARK: Machines

    private static let gitHubActions: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/.well-known/jwks",
            discovery: [SampleDiscovery(issuer: "https://token.actions.githubusercontent.com")],
            keys: [SampleKeyEntry("gha1", .rsa), SampleKeyEntry("gha2", .rsa)], caching: .unsaid)
    ]

    private static let gitLabCI: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/oauth/discovery/keys", discovery: [SampleDiscovery(issuer: "https://gitlab.com")],
            keys: [SampleKeyEntry("gl1", .rsa), SampleKeyEntry("gl2", .rsa)], caching: .unsaid)
    ]

    /// Authorities of both kinds stand beside each other in a bundle.
    private static let spiffe: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/keys", discovery: [SampleDiscovery(issuer: "https://oidc.kaasik.example")],
            keys: [
                SampleKeyEntry("x509", .bundled(use: "x509-svid"), algorithm: .es256, signs: false),
                SampleKeyEntry("svid1", .bundled(use: "jwt-svid"), algorithm: .es256),
                SampleKeyEntry("svid2", .bundled(use: "jwt-svid")),
            ],
            caching: SampleCaching("max-age=300"))
    ]

    private static let kubernetes: [SampleKeySet] = [
        SampleKeySet(
            only, path: "/openid/v1/jwks",
            discovery: [SampleDiscovery(issuer: "https://kubernetes.default.svc.cluster.local")],
            keys: [SampleKeyEntry("k8s1", .rsa), SampleKeyEntry("k8s2", .ellipticCurve, algorithm: .es256)],
            caching: SampleCaching("max-age=3600"))
    ]
}
