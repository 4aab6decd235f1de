/// Samples of Firebase Authentication: ID tokens and session cookies of one project.
enum FirebaseFixture: ProviderFixture {
    static let setups: [ProviderSetup] = {
        let standard = ProviderSetup(
            .firebase,
            [
                SetupParameter("project_id", .text("kestrel-demo-4411")),
                SetupParameter("tenants", .text("none")),
                SetupParameter("scope_claims", .list(["roles"])),
            ],
            keySets: .one("tokens"), audiences: [], read: .authenticated, write: .scopes(["editor"]))
        return [
            standard,
            standard.varied(as: "tenants", [SetupParameter("tenants", .list(["acme-x7k2p"]))]),
            standard.varied(
                as: "session-cookies", [SetupParameter("accept_session_cookies", .boolean(true))],
                keySets: .named(["tokens", "session_cookies"])),
        ]
    }()

    static let keySets = [
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

    static let scopeClaims: [SampleScopeClaim] = [.list("roles")]

    static let orders = [
        SampleOrder("firebase/bearer"), SampleOrder("firebase/bearer-tenant", reason: "insufficient_scope"),
    ]

    static let tokens: [SampleSource] = [
        SampleSource("firebase/bearer"),
        SampleSource("firebase/bearer-tenant", variant: "tenants"),
        SampleSource("firebase/session-cookie", variant: "session-cookies"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "fb-1-other-project", base: "firebase/bearer",
            setPayload: #"{"iss":"https://securetoken.google.com/evil-project-9","aud":"evil-project-9"}"#,
            reason: "issuer_mismatch",
            why: "same Google key; self-consistent iss/aud pair of a stranger's project"),
        NearMissSource(
            "fb-2-mixed-project", base: "firebase/bearer",
            setPayload: #"{"aud":"evil-project-9"}"#,
            reason: "audience_mismatch",
            why: "iss ours, aud not"),
        NearMissSource(
            "fb-3-microsoft-id-token", base: "entra-id/id-v2",
            setPayload: #"{"aud":"c0ffee00-1111-4222-8333-444455556666"}"#,
            reason: "issuer_mismatch",
            why: "app sent credential.idToken"),
        NearMissSource(
            "fb-4-microsoft-access-token", base: "entra-id/near-misses#entra-10-graph",
            reason: "issuer_mismatch",
            why: "app sent credential.accessToken; log hint foreign_resource"),
        NearMissSource(
            "fb-5-custom-token", base: "firebase/bearer",
            setPayload: #"""
                {"aud":"https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
                 "iss":"firebase-adminsdk-x1@kestrel-demo-4411.iam.gserviceaccount.com",
                 "sub":"firebase-adminsdk-x1@kestrel-demo-4411.iam.gserviceaccount.com", "uid":"Q7mXv2LzR8hTn4BcYw1KpD0eJsU3"}
                """#,
            unsetHeader: ["kid"],
            reason: "issuer_mismatch",
            why: "custom token must be exchanged by the SDK first"),
        NearMissSource(
            "fb-6-tenant-user-on-project-profile", base: "firebase/bearer-tenant",
            reason: "tenant_not_allowed",
            why: "profile tenants: none"),
        NearMissSource(
            "fb-7-session-cookie", base: "firebase/session-cookie",
            reason: "issuer_mismatch",
            why: "session cookies not enabled"),
        NearMissSource(
            "fb-8-empty-sub", base: "firebase/bearer",
            setPayload: #"{"sub":""}"#,
            reason: "subject_invalid",
            why: "1..128 characters"),
        NearMissSource(
            "fb-9-auth-time-future", base: "firebase/bearer",
            setPayload: #"{"auth_time":1790009999}"#,
            reason: "auth_time_invalid",
            why: "must be in the past"),
        NearMissSource(
            "fb-10-emulator", base: "firebase/bearer",
            setHeader: #"{"alg":"none"}"#,
            unsetHeader: ["kid"],
            signedBy: .nobody,
            reason: "alg_not_allowed",
            why: "Auth emulator token"),
    ]
}
