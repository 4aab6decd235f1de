/// Samples of Microsoft Entra ID: users and apps of two tenants, one of which is the tenant of personal accounts.
enum EntraIDFixture: ProviderFixture {
    private static let tenant = "7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755"
    private static let host = "https://login.microsoftonline.com"
    private static let api = "3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3"

    /// Setups with the tenant `common`: the tenant of personal accounts is allowed, whose keys only `common` publishes.
    static let setups: [ProviderSetup] = {
        let standard = ProviderSetup(
            .entraID,
            [
                SetupParameter("tenant", .text("common")),
                SetupParameter("allowed_tenants", .list([tenant, "9188040d-6c67-4c5b-b112-36a304b66dad"])),
                SetupParameter("versions", .list(["2"])),
            ],
            keySets: .one("v2"), audiences: [api], read: .scopes(["Orders.Read"]), write: .scopes(["Orders.Write"]),
            others: [SetupRule("GET", "/catalog", .roles(["Orders.Sync.All"]))])
        return [
            standard,
            standard.varied(
                as: "versions-1-and-2", [SetupParameter("versions", .list(["1", "2"]))], keySets: .named(["v1", "v2"]),
                audiences: [api, "api://" + api]),
            standard.varied(as: "app-only", [SetupParameter("allow_app_only", .boolean(true))]),
        ]
    }()

    static let keySets: [SampleKeySet] = {
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

    static let scopeNaming: ScopeNaming? = ScopeNaming(prefix: "api://\(api)/", isLeftOutOfTokens: true)
    static let scopeClaims: [SampleScopeClaim] = [.text("scp")]

    static let orders = [
        SampleOrder("entra-id/access-v2"), SampleOrder("entra-id/access-consumer", reason: "insufficient_scope"),
    ]

    static let tokens: [SampleSource] = [
        SampleSource("entra-id/access-v2"),
        SampleSource("entra-id/access-v1", variant: "versions-1-and-2"),
        SampleSource("entra-id/access-app-only", variant: "app-only", call: SampleCall("GET", "/catalog")),
        SampleSource("entra-id/access-consumer"),
        SampleSource("entra-id/id-v2", reason: "audience_mismatch"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "entra-1-tenant-not-listed", base: "entra-id/access-v2",
            setPayload: #"""
                {"iss":"https://login.microsoftonline.com/e4a07f63-9b12-4c8d-8d35-62f1ab7094ce/v2.0",
                 "tid":"e4a07f63-9b12-4c8d-8d35-62f1ab7094ce"}
                """#,
            reason: "tenant_not_allowed",
            why: "perfectly valid token of a foreign tenant; multi-tenant profile with allow-list"),
        NearMissSource(
            "entra-2-tid-lies", base: "entra-id/access-v2",
            setPayload: #"{"iss":"https://login.microsoftonline.com/e4a07f63-9b12-4c8d-8d35-62f1ab7094ce/v2.0"}"#,
            reason: "tenant_mismatch",
            why: "allowed tid, foreign iss: template comparison must bind them"),
        NearMissSource(
            "entra-3-consumer-key-for-work-tenant", base: "entra-id/access-v2",
            setHeader: #"{"kid":"MsaKey8IIDH6M8c3cXoeojKme8J"}"#,
            signedBy: .key("MsaKey8IIDH6M8c3cXoeojKme8J"),
            reason: "key_issuer_mismatch",
            why: "key's issuer property is the consumer tenant"),
        NearMissSource(
            "entra-4-common-as-tid", base: "entra-id/access-v2",
            setPayload: #"{"iss":"https://login.microsoftonline.com/common/v2.0","tid":"common"}"#,
            reason: "tenant_mismatch",
            why: "tid must be a GUID"),
        NearMissSource(
            "entra-5-trailing-slash", base: "entra-id/access-v2",
            setPayload: #"{"iss":"https://login.microsoftonline.com/7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755/v2.0/"}"#,
            reason: "issuer_mismatch",
            why: "byte-exact comparison"),
        NearMissSource(
            "entra-6-v1-on-v2-only-profile", base: "entra-id/access-v1",
            reason: "version_not_allowed",
            why: "profile versions: [2]"),
        NearMissSource(
            "entra-7-case-twin-tid", base: "entra-id/access-v2",
            setPayload: #"{"TID":"e4a07f63-9b12-4c8d-8d35-62f1ab7094ce"}"#,
            reason: "tenant_mismatch",
            why: "two members equal to tid ignoring case"),
        NearMissSource(
            "entra-8-id-token", base: "entra-id/id-v2",
            setPayload: #"{"aud":"3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3"}"#,
            reason: "not_access_token",
            why: "no scp, no roles, no azp"),
        NearMissSource(
            "entra-9-app-only-on-user-route", base: "entra-id/access-app-only",
            variant: "app-only",
            reason: "insufficient_scope",
            why: "profile allow_app_only: true, route asks scope Orders.Read; roles are not scopes"),
        NearMissSource(
            "entra-10-graph", base: "entra-id/access-v1",
            setHeader: #"{"nonce":"K2x9"}"#,
            setPayload: #"{"aud":"https://graph.microsoft.com"}"#,
            signedBy: .tampering,
            reason: "foreign_resource",
            why: "Graph token; also what Firebase's credential.accessToken is"),
    ]
}
