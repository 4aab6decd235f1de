import JOSE

/// Samples of Firebase App Check: one project with apps on three platforms.
enum FirebaseAppCheckFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .firebaseAppCheck,
            [
                SetupParameter("project_number", .text("441100223344")),
                SetupParameter("apps", .list(["1:441100223344:ios:9f0c", "1:441100223344:android:7b1e"])),
            ],
            audiences: [], read: .authenticated, write: .authenticated)
    ]

    static let keySets = [
        SampleKeySet(
            path: "/v1/jwks", discovery: [], keys: [SampleKeyEntry("lYBWVg", .rsa), SampleKeyEntry("vC1pdw", .rsa)],
            caching: SampleCaching("public, max-age=21600"))
    ]

    static let orders = [SampleOrder("firebase-app-check/app")]

    static let tokens: [SampleSource] = [SampleSource("firebase-app-check/app")]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "appcheck-1-other-project", base: "firebase-app-check/app",
            setPayload: #"{"iss":"https://firebaseappcheck.googleapis.com/9","aud":["projects/9","projects/other"]}"#,
            reason: "issuer_mismatch",
            why: "another project, signed by the same keys"),
        NearMissSource(
            "appcheck-2-other-app", base: "firebase-app-check/app",
            setPayload: #"{"sub":"1:441100223344:web:1111"}"#,
            reason: "client_not_allowed",
            why: "an app that is not listed"),
        NearMissSource(
            "appcheck-3-audience-of-another", base: "firebase-app-check/app",
            setPayload: #"{"aud":["projects/9"]}"#,
            reason: "audience_mismatch",
            why: "the audience of another project"),
    ]
}
