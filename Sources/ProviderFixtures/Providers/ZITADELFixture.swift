import JOSE

/// Samples of ZITADEL: one instance, with the project of the API.
enum ZITADELFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .zitadel,
            [
                SetupParameter("domain", .text("kestrel.zitadel.cloud")),
                SetupParameter("org_ids", .list(["2840"])),
            ],
            audiences: ["280998627474669570"], read: .roles(["customer"]), write: .roles(["staff"]))
    ]

    static let keySets = [
        SampleKeySet(
            path: "/oauth/v2/keys", discovery: [SampleDiscovery(issuer: "https://kestrel.zitadel.cloud")],
            keys: [
                SampleKeyEntry("280543383892525058", .rsa),
                SampleKeyEntry("281697442907361282", .ellipticCurve, algorithm: .es256),
            ],
            caching: SampleCaching("max-age=300, must-revalidate"))
    ]

    static let orders = [SampleOrder("zitadel/access", reason: "role_required")]

    static let tokens: [SampleSource] = [
        SampleSource("zitadel/access"),
        SampleSource("zitadel/id", reason: "not_access_token"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "zit-1-id-token", base: "zitadel/id",
            reason: "not_access_token",
            why: "same aud array as the access token"),
        NearMissSource(
            "zit-2-other-project", base: "zitadel/access",
            setPayload: #"{"aud":["111","222"]}"#,
            reason: "audience_mismatch",
            why: "project id missing"),
        NearMissSource(
            "zit-3-role-in-other-org", base: "zitadel/access",
            setPayload: #"{"urn:zitadel:iam:org:project:roles":{"customer":{"9999":"fremd.example"}}}"#,
            reason: "tenant_not_allowed",
            why: "role granted in another organization"),
    ]
}
