import JOSE

/// Samples of an AWS Application Load Balancer that signs users in at a Keycloak realm.
enum AWSALBFixture: ProviderFixture {
    private static let signer =
        "arn:aws:elasticloadbalancing:eu-north-1:441100223344:loadbalancer/app/shop/50dc6c495c0c9188"

    static let setups = [
        ProviderSetup(
            .awsALB,
            [
                SetupParameter("issuer", .text("https://id.kaasik.example/realms/shop")),
                SetupParameter("signer", .text(signer)), SetupParameter("clients", .text("shop-web")),
            ],
            audiences: [], read: .authenticated, write: .authenticated)
    ]

    /// The same keys as a set, for development. AWS publishes each alone.
    static let keySets = [
        SampleKeySet(
            path: "/keys", discovery: [],
            keys: [
                SampleKeyEntry("6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18", .ellipticCurve, algorithm: .es256),
                SampleKeyEntry("0c4e7b19-2d6f-4a83-b5c1-97e8f3a06d24", .ellipticCurve, algorithm: .es256),
            ],
            caching: .unsaid)
    ]

    static let orders = [SampleOrder("aws-alb/user")]

    static let tokens: [SampleSource] = [SampleSource("aws-alb/user")]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "alb-1-other-customer", base: "aws-alb/user",
            setHeader:
                #"{"signer":"arn:aws:elasticloadbalancing:eu-north-1:998877665544:loadbalancer/app/shop/50dc6c495c0c9188"}"#,
            reason: "signer_not_allowed",
            why: "a load balancer of another AWS customer, which signs with the same region's keys"),
        NearMissSource(
            "alb-2-no-signer", base: "aws-alb/user",
            unsetHeader: ["signer"],
            reason: "signer_not_allowed",
            why: "no signer at all"),
        NearMissSource(
            "alb-3-signer-in-claims", base: "aws-alb/user",
            setPayload: #"{"signer":"\#(signer)"}"#, unsetHeader: ["signer"],
            reason: "signer_not_allowed",
            why: "the signer is a claim of the user, who may choose it"),
        NearMissSource(
            "alb-4-issuer-in-header", base: "aws-alb/user",
            setHeader: #"{"iss":"https://id.kaasik.example/realms/other"}"#,
            reason: "issuer_mismatch",
            why: "header and claims name different issuers"),
        NearMissSource(
            "alb-5-other-realm", base: "aws-alb/user",
            setHeader: #"{"iss":"https://id.kaasik.example/realms/other"}"#,
            setPayload: #"{"iss":"https://id.kaasik.example/realms/other"}"#,
            reason: "issuer_mismatch",
            why: "another rule of the listener signs in elsewhere"),
        NearMissSource(
            "alb-6-other-client", base: "aws-alb/user",
            setHeader: #"{"client":"back-office"}"#,
            reason: "client_not_allowed",
            why: "a rule for another application"),
        NearMissSource(
            "alb-7-expirations-differ", base: "aws-alb/user",
            setPayload: #"{"exp":1790090000}"#,
            reason: "claim_invalid",
            why: "header and claims expire at different times"),
    ]
}
