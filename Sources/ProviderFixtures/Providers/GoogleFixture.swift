/// Samples of Google: ID tokens of one Workspace domain.
enum GoogleFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .google, [SetupParameter("hosted_domain", .text("kaasik.example"))],
            audiences: ["11-srv.apps.googleusercontent.com"], read: .authenticated, write: .authenticated)
    ]

    static let keySets = [
        SampleKeySet(
            path: "/oauth2/v3/certs", discovery: [SampleDiscovery(issuer: "https://accounts.google.com")],
            keys: [SampleKeyEntry("73e2", .rsa), SampleKeyEntry("b80f", .rsa)], caching: .google)
    ]

    static let orders = [SampleOrder("google/id")]

    static let tokens: [SampleSource] = [
        SampleSource("google/id")
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "goog-1-other-client", base: "google/id",
            setPayload: #"{"aud":"99-evil.apps.googleusercontent.com"}"#,
            reason: "audience_mismatch",
            why: "token minted for another app"),
        NearMissSource(
            "goog-2-no-hd", base: "google/id",
            unsetPayload: ["hd"],
            reason: "tenant_not_allowed",
            why: "hosted_domain required"),
        NearMissSource(
            "goog-3-firebase-confusion", base: "firebase/bearer",
            reason: "issuer_mismatch",
            why: "Firebase token on Google profile"),
    ]
}
