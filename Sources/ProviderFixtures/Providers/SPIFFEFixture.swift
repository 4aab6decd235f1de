import JOSE

/// Samples of SPIFFE: JWT-SVIDs of the workloads of one trust domain.
enum SPIFFEFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .spiffe,
            [
                SetupParameter("trust_domain", .text("kaasik.example")),
                SetupParameter("issuer", .text("https://oidc.kaasik.example")),
            ],
            audiences: ["orders-api"], read: .authenticated, write: .authenticated)
    ]

    /// Key set in the form of a SPIFFE bundle: it contains keys for X.509-SVIDs and for JWT-SVIDs.
    static let keySets = [
        SampleKeySet(
            path: "/keys", discovery: [SampleDiscovery(issuer: "https://oidc.kaasik.example")],
            keys: [
                SampleKeyEntry("x509", .bundled(use: "x509-svid"), algorithm: .es256, signs: false),
                SampleKeyEntry("svid1", .bundled(use: "jwt-svid"), algorithm: .es256),
                SampleKeyEntry("svid2", .bundled(use: "jwt-svid")),
            ],
            caching: SampleCaching("max-age=300"))
    ]

    static let orders = [SampleOrder("spiffe/jwt-svid")]

    static let tokens: [SampleSource] = [
        SampleSource("spiffe/jwt-svid")
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "spiffe-1-no-issuer", base: "spiffe/jwt-svid",
            unsetPayload: ["iss"],
            reason: "issuer_mismatch",
            why: "as the standard has it, whose tokens name no issuer"),
        NearMissSource(
            "spiffe-2-other-domain", base: "spiffe/jwt-svid",
            setPayload: #"{"sub":"spiffe://fremd.example/ns/shop/sa/checkout"}"#,
            reason: "tenant_not_allowed",
            why: "a workload of a federated trust domain"),
        NearMissSource(
            "spiffe-3-longer-domain", base: "spiffe/jwt-svid",
            setPayload: #"{"sub":"spiffe://kaasik.example.fremd/ns/shop/sa/checkout"}"#,
            reason: "tenant_not_allowed",
            why: "a trust domain that begins like the right one"),
        NearMissSource(
            "spiffe-4-no-spiffe-id", base: "spiffe/jwt-svid",
            setPayload: #"{"sub":"checkout"}"#,
            reason: "not_access_token",
            why: "another token of the same issuer"),
        NearMissSource(
            "spiffe-5-dot-segments", base: "spiffe/jwt-svid",
            setPayload: #"{"sub":"spiffe://kaasik.example/ns/shop/../admin"}"#,
            reason: "not_access_token",
            why: "no SPIFFE ID: two readers could take it for two workloads"),
        NearMissSource(
            "spiffe-6-trust-domain", base: "spiffe/jwt-svid",
            setPayload: #"{"sub":"spiffe://kaasik.example"}"#,
            reason: "tenant_not_allowed",
            why: "the trust domain itself, which is no workload"),
        NearMissSource(
            "spiffe-7-other-audience", base: "spiffe/jwt-svid",
            setPayload: #"{"aud":["billing"]}"#,
            reason: "audience_mismatch",
            why: "for another service of the trust domain"),
        NearMissSource(
            "spiffe-8-x509-authority", base: "spiffe/jwt-svid",
            setHeader: #"{"kid":"x509"}"#,
            signedBy: .key("x509"),
            reason: "unknown_kid",
            why: "signed by a key of the bundle that vouches for certificates"),
    ]
}
