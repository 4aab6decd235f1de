import JOSE

/// Samples of Google's Identity-Aware Proxy in front of one backend service.
enum GoogleIAPFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .googleIAP, [SetupParameter("hosted_domain", .text("kaasik.example"))],
            audiences: ["/projects/441100223344/global/backendServices/7700112233"], read: .authenticated,
            write: .authenticated)
    ]

    static let keySets = [
        SampleKeySet(
            path: "/iap/verify/public_key-jwk", discovery: [],
            keys: [SampleKeyEntry("kRkMtA", .ellipticCurve, algorithm: .es256)], caching: SampleCaching("max-age=3600"))
    ]

    static let orders = [SampleOrder("google-iap/assertion")]

    static let tokens: [SampleSource] = [SampleSource("google-iap/assertion")]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "iap-1-other-service", base: "google-iap/assertion",
            setPayload: #"{"aud":"/projects/441100223344/global/backendServices/1"}"#,
            reason: "audience_mismatch",
            why: "another backend service of the project"),
        NearMissSource(
            "iap-2-other-project", base: "google-iap/assertion",
            setPayload: #"{"aud":"/projects/9/global/backendServices/7700112233"}"#,
            reason: "audience_mismatch",
            why: "somebody else's project, signed by the same keys"),
        NearMissSource(
            "iap-3-other-domain", base: "google-iap/assertion",
            setPayload: #"{"hd":"other.example"}"#,
            reason: "tenant_not_allowed",
            why: "not of hosted_domain"),
        NearMissSource(
            "iap-4-personal-account", base: "google-iap/assertion",
            unsetPayload: ["hd"],
            reason: "tenant_not_allowed",
            why: "personal accounts have no hd"),
        NearMissSource(
            "iap-5-id-token", base: "google-iap/assertion",
            setPayload: #"{"iss":"https://accounts.google.com"}"#,
            reason: "issuer_mismatch",
            why: "Google's ID token"),
    ]
}
