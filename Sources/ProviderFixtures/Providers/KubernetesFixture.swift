import JOSE

/// Samples of Kubernetes: projected tokens of one cluster's service accounts.
enum KubernetesFixture: ProviderFixture {
    static let setups = [
        ProviderSetup(
            .kubernetes, [SetupParameter("namespaces", .list(["shop"]))],
            audiences: ["orders-api"], read: .authenticated, write: .authenticated)
    ]

    static let keySets = [
        SampleKeySet(
            path: "/openid/v1/jwks",
            discovery: [SampleDiscovery(issuer: "https://kubernetes.default.svc.cluster.local")],
            keys: [SampleKeyEntry("k8s1", .rsa), SampleKeyEntry("k8s2", .ellipticCurve, algorithm: .es256)],
            caching: SampleCaching("max-age=3600"))
    ]

    static let orders = [SampleOrder("kubernetes/projected")]

    static let tokens: [SampleSource] = [
        SampleSource("kubernetes/projected")
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "k8s-1-other-namespace", base: "kubernetes/projected",
            setPayload:
                #"{"kubernetes.io":{"namespace":"fremd","serviceaccount":{"name":"checkout","uid":"a1f0"}},"sub":"system:serviceaccount:fremd:checkout"}"#,
            reason: "tenant_not_allowed",
            why: "an account of the same name in another namespace"),
        NearMissSource(
            "k8s-2-api-server", base: "kubernetes/projected",
            setPayload: #"{"aud":["https://kubernetes.default.svc.cluster.local"]}"#,
            reason: "audience_mismatch",
            why: "the token that every pod has, for the API server"),
        NearMissSource(
            "k8s-3-secret", base: "kubernetes/projected",
            setPayload: #"{"iss":"kubernetes/serviceaccount"}"#,
            reason: "issuer_mismatch",
            why: "from a Secret; it never expires"),
        NearMissSource(
            "k8s-4-no-account", base: "kubernetes/projected",
            setPayload: #"{"kubernetes.io":{"namespace":"shop"}}"#,
            reason: "not_access_token",
            why: "names no service account"),
        NearMissSource(
            "k8s-5-other-cluster", base: "kubernetes/projected",
            setPayload: #"{"iss":"https://oidc.example/id/A1"}"#,
            reason: "issuer_mismatch",
            why: "another cluster"),
        NearMissSource(
            "k8s-6-same-issuer", base: "kubernetes/projected",
            setHeader: #"{"kid":"k8s9"}"#,
            reason: "unknown_kid",
            why: "another cluster with the same default iss, and its own key"),
        NearMissSource(
            "k8s-7-same-issuer-and-kid", base: "kubernetes/projected",
            signedBy: .tampering,
            reason: "bad_signature",
            why: "the same, and its key has the same kid"),
    ]
}
