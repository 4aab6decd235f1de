/// Samples of Microsoft Entra External ID: one external tenant.
enum EntraExternalFixture: ProviderFixture {
    private static let tenant = "5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"
    private static let keyIssuer = "https://{tenantid}.ciamlogin.com/{tenantid}/v2.0"

    static let setups = [
        ProviderSetup(
            .entraExternal,
            [
                SetupParameter("tenant_id", .text(tenant)),
                SetupParameter("clients", .list(["b81f6e02-1c9d-4a55-b3e7-d64920f7c183"])),
            ],
            audiences: ["0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70"],
            read: .scopes(["Catalog.Read"]), write: .scopes(["Catalog.Write"]))
    ]

    static let keySets = [
        SampleKeySet(
            path: "/\(tenant)/discovery/v2.0/keys",
            discovery: [
                SampleDiscovery(below: "/\(tenant)/v2.0", issuer: "https://\(tenant).ciamlogin.com/\(tenant)/v2.0")
            ],
            keys: [
                SampleKeyEntry("Qx3mT7vB2nLr8KpWc5dHs1uYeA0", .entra(issuer: keyIssuer)),
                SampleKeyEntry("Lw8dJ4zRk1VnXe6TbYq0GmHs3cU", .entra(issuer: keyIssuer)),
            ],
            caching: .microsoft)
    ]

    static let scopeNaming: ScopeNaming? = ScopeNaming(
        prefix: "api://0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70/", isLeftOutOfTokens: true)
    static let scopeClaims: [SampleScopeClaim] = [.text("scp")]

    static let orders = [SampleOrder("entra-external/access")]

    static let tokens: [SampleSource] = [
        SampleSource("entra-external/access"),
        SampleSource("entra-external/id", reason: "audience_mismatch"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "ciam-1-graph-token-no-scopes", base: "entra-external/access",
            setHeader: #"{"nonce":"0aG7rXv2LkQ9"}"#,
            setPayload: #"{"aud":"00000003-0000-0000-c000-000000000000","scp":"openid profile email"}"#,
            signedBy: .tampering,
            reason: "foreign_resource",
            why:
                "no scopes requested: a Microsoft Graph token, with nonce in the header and a signature that does not verify"
        ),
        NearMissSource(
            "ciam-2-tenant-name-host", base: "entra-external/access",
            setPayload: #"{"iss":"https://nordlichtkunden.ciamlogin.com/5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412/v2.0"}"#,
            reason: "issuer_mismatch",
            why: "issuer host must be the GUID"),
        NearMissSource(
            "ciam-3-other-ciam-tenant-same-aud", base: "entra-external/access",
            setPayload: #"""
                {"iss":"https://aa11bb22-0c3d-4e4f-8a5b-6c7d8e9f0a1b.ciamlogin.com/aa11bb22-0c3d-4e4f-8a5b-6c7d8e9f0a1b/v2.0",
                 "tid":"aa11bb22-0c3d-4e4f-8a5b-6c7d8e9f0a1b"}
                """#,
            reason: "issuer_mismatch",
            why: "keys may be shared; tenant is not"),
        NearMissSource(
            "ciam-4-id-token-shared-registration", base: "entra-external/id",
            setPayload: #"{"aud":"0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70"}"#,
            reason: "not_access_token",
            why: "aud matches because app and API share a registration; no scp, no roles"),
        NearMissSource(
            "ciam-5-iss-tid-disagree", base: "entra-external/access",
            setPayload: #"{"tid":"7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755"}"#,
            reason: "tenant_mismatch",
            why: "tid must equal both GUIDs in iss"),
    ]
}
