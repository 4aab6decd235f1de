extension ProviderSetup {
    /// The setups of a provider, the standard one first.
    static func all(for name: ProviderName) -> [ProviderSetup] {
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

    private static func rules(read: SetupRequirement, write: SetupRequirement, _ others: [SetupRule] = [])
        -> [SetupRule]
    {
        [SetupRule("GET", "/orders/**", read), SetupRule("POST", "/orders", write)] + others + [
            SetupRule("GET", "/me", .authenticated)
        ]
    }

    // MARK: Microsoft

    private static let entraExternal = [
        ProviderSetup(
            .entraExternal,
            [
                SetupParameter("tenant_id", .text("5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412")),
                SetupParameter("clients", .list(["b81f6e02-1c9d-4a55-b3e7-d64920f7c183"])),
            ],
            keySets: .one(SampleKeySet.only), audiences: ["0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70"],
            rules: rules(read: .scopes(["Catalog.Read"]), write: .scopes(["Catalog.Write"])))
    ]

    /// `common`, because one of the tenants that may enter is the one of personal accounts, whose keys are published
    /// there alone.
    private static let entraID: [ProviderSetup] = {
        let api = "3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3"
        let standard = ProviderSetup(
            .entraID,
            [
                SetupParameter("tenant", .text("common")),
                SetupParameter(
                    "allowed_tenants",
                    .list(["7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755", "9188040d-6c67-4c5b-b112-36a304b66dad"])),
                SetupParameter("versions", .list(["2"])),
            ],
            keySets: .one("v2"), audiences: [api],
            rules: rules(
                read: .scopes(["Orders.Read"]), write: .scopes(["Orders.Write"]),
                [SetupRule("GET", "/catalog", .roles(["Orders.Sync.All"]))]))
        return [
            standard,
            standard.varied(
                as: "versions-1-and-2", [SetupParameter("versions", .list(["1", "2"]))], keySets: .named(["v1", "v2"]),
                audiences: [api, "api://" + api]),
            standard.varied(as: "app-only", [SetupParameter("allow_app_only", .boolean(true))]),
        ]
    }()

    private static let azureB2C = [
        ProviderSetup(
            .azureB2C,
            [
                SetupParameter("tenant_name", .text("rotkiefer")),
                SetupParameter("tenant_id", .text("c19e5f08-43a7-4d96-b20c-fa6817d3e592")),
                SetupParameter("policies", .list(["B2C_1_susi", "B2C_1A_signup"])),
            ],
            keySets: .named(["B2C_1_susi", "B2C_1A_signup"]), audiences: ["6e70b3c5-d812-4f49-a3e6-910f5c8b27d4"],
            rules: rules(read: .scopes(["tasks.read"]), write: .scopes(["tasks.write"])))
    ]

    // MARK: Google

    private static let firebase: [ProviderSetup] = {
        let standard = ProviderSetup(
            .firebase,
            [
                SetupParameter("project_id", .text("kestrel-demo-4411")),
                SetupParameter("tenants", .text("none")),
                SetupParameter("scope_claims", .list(["roles"])),
            ],
            keySets: .one("tokens"), audiences: [], rules: rules(read: .authenticated, write: .scopes(["editor"])))
        return [
            standard,
            standard.varied(as: "tenants", [SetupParameter("tenants", .list(["acme-x7k2p"]))]),
            standard.varied(
                as: "session-cookies", [SetupParameter("accept_session_cookies", .boolean(true))],
                keySets: .named(["tokens", "session_cookies"])),
        ]
    }()

    private static let google = [
        ProviderSetup(
            .google, [SetupParameter("hosted_domain", .text("kaasik.example"))], keySets: .one(SampleKeySet.only),
            audiences: ["11-srv.apps.googleusercontent.com"], rules: rules(read: .authenticated, write: .authenticated))
    ]

    // MARK: Others

    private static let logto: [ProviderSetup] = {
        let resource = "https://shopping.your-app.com/api"
        let standard = ProviderSetup(
            .logto, [SetupParameter("endpoint", .text("https://h7k2qd.logto.app"))], keySets: .one(SampleKeySet.only),
            resource: resource, audiences: [resource],
            rules: rules(
                read: .scopes(["read"]), write: .scopes(["write"]),
                [SetupRule("GET", "/orgs/{org}/orders", .scopesInOrganization(["read"], segment: "org"))]))
        return [standard, standard.varied(as: "users-only", [SetupParameter("allow_m2m", .boolean(false))])]
    }()

    private static let auth0: [ProviderSetup] = {
        let resource = "https://orders.example/api"
        return [
            ProviderSetup(
                .auth0,
                [SetupParameter("domain", .text("kestrel.eu.auth0.com")), SetupParameter("rbac", .boolean(true))],
                keySets: .one(SampleKeySet.only), resource: resource, audiences: [resource],
                rules: rules(read: .scopes(["orders:read"]), write: .scopes(["orders:write"])))
        ]
    }()

    private static let okta = [
        ProviderSetup(
            .okta, [SetupParameter("issuer", .text("https://kestrel.okta.com/oauth2/default"))],
            keySets: .one(SampleKeySet.only),
            audiences: ["api://default"], rules: rules(read: .scopes(["orders:read"]), write: .scopes(["orders:write"]))
        )
    ]

    private static let keycloak = [
        ProviderSetup(
            .keycloak,
            [
                SetupParameter("realm_url", .text("https://id.example/realms/shop")),
                SetupParameter("realm_roles", .boolean(true)),
            ],
            keySets: .one(SampleKeySet.only), audiences: ["orders-api"],
            rules: rules(read: .scopes(["orders"]), write: .roles(["customer"])))
    ]

    private static let cognito = [
        ProviderSetup(
            .cognito,
            [
                SetupParameter("user_pool_id", .text("eu-north-1_Ab12Cd34E")),
                SetupParameter("client_ids", .list(["57cbishk4j24pabc1234567890"])),
                SetupParameter("resource_server", .text("orders")),
            ],
            keySets: .one(SampleKeySet.only), audiences: [],
            rules: rules(read: .scopes(["read"]), write: .scopes(["write"])))
    ]

    private static let zitadel = [
        ProviderSetup(
            .zitadel,
            [
                SetupParameter("domain", .text("kestrel.zitadel.cloud")),
                SetupParameter("org_ids", .list(["2840"])),
            ],
            keySets: .one(SampleKeySet.only), audiences: ["280998627474669570"],
            rules: rules(read: .roles(["customer"]), write: .roles(["staff"])))
    ]

    private static let authentik = [
        ProviderSetup(
            .authentik,
            [
                SetupParameter("host", .text("ak.example")),
                SetupParameter("application_slug", .text("orders")),
            ],
            keySets: .one(SampleKeySet.only), audiences: ["aKcLient1"],
            rules: rules(read: .authenticated, write: .authenticated))
    ]

    // MARK: Machines

    private static let gitHubActions = [
        ProviderSetup(
            .gitHubActions, [SetupParameter("owners", .list(["kaasik"]))], keySets: .one(SampleKeySet.only),
            audiences: ["orders-api"],
            rules: rules(read: .authenticated, write: .authenticated))
    ]

    private static let gitLabCI = [
        ProviderSetup(
            .gitLabCI, [SetupParameter("namespaces", .list(["kaasik"]))], keySets: .one(SampleKeySet.only),
            audiences: ["orders-api"],
            rules: rules(read: .authenticated, write: .authenticated))
    ]

    private static let spiffe = [
        ProviderSetup(
            .spiffe,
            [
                SetupParameter("trust_domain", .text("kaasik.example")),
                SetupParameter("issuer", .text("https://oidc.kaasik.example")),
            ],
            keySets: .one(SampleKeySet.only), audiences: ["orders-api"],
            rules: rules(read: .authenticated, write: .authenticated))
    ]

    private static let kubernetes = [
        ProviderSetup(
            .kubernetes, [SetupParameter("namespaces", .list(["shop"]))], keySets: .one(SampleKeySet.only),
            audiences: ["orders-api"],
            rules: rules(read: .authenticated, write: .authenticated))
    ]
}
