import JOSE

/// Samples of Logto: users, organizations and machines of one tenant.
enum LogtoFixture: ProviderFixture {
    static let setups: [ProviderSetup] = {
        let resource = "https://shopping.your-app.com/api"
        let standard = ProviderSetup(
            .logto, [SetupParameter("endpoint", .text("https://h7k2qd.logto.app"))],
            resource: resource, audiences: [resource], read: .scopes(["read"]), write: .scopes(["write"]),
            others: [SetupRule("GET", "/orgs/{org}/orders", .scopesInOrganization(["read"], segment: "org"))])
        return [standard, standard.varied(as: "users-only", [SetupParameter("allow_m2m", .boolean(false))])]
    }()

    /// Key set with the current key and the previous one, which is RSA, as after a change of the key type.
    static let keySets = [
        SampleKeySet(
            path: "/oidc/jwks",
            discovery: [SampleDiscovery(below: "/oidc", issuer: "https://h7k2qd.logto.app/oidc")],
            keys: [
                SampleKeyEntry("iJ3hQm8vT1xLr6WbN0cYd5KpZs7UeA2gFo9XtVk4HnM", .ellipticCurve, algorithm: .es384),
                SampleKeyEntry("wQ5nB8rKz2XvL7cTd0HfY4mJs9GpUe1aRo6iVt3bExN", .rsaWithoutAlgorithm),
            ],
            caching: SampleCaching("no-cache, max-age=0, must-revalidate", hasValidator: true),
            mediaType: "application/jwk-set+json")
    ]

    static let orders = [SampleOrder("logto/access"), SampleOrder("logto/m2m", reason: "insufficient_scope")]

    static let tokens: [SampleSource] = [
        SampleSource("logto/access"),
        SampleSource("logto/access-org", call: SampleCall("GET", "/orgs/org_5f0c1/orders")),
        SampleSource("logto/organization-token", reason: "audience_mismatch"),
        SampleSource("logto/m2m"),
        SampleSource("logto/id", reason: "typ_mismatch"),
    ]

    static let nearMisses: [NearMissSource] = [
        NearMissSource(
            "logto-1-id-token", base: "logto/id",
            setPayload: #"{"aud":"https://shopping.your-app.com/api"}"#,
            reason: "typ_mismatch",
            why: "even with a matching aud: no at+jwt"),
        NearMissSource(
            "logto-2-sibling-resource", base: "logto/access",
            setPayload: #"{"aud":"https://store.your-app.com/api"}"#,
            reason: "audience_mismatch",
            why: "same scope names on both resources"),
        NearMissSource(
            "logto-3-organization-token-as-api-token", base: "logto/organization-token",
            reason: "audience_mismatch",
            why: "aud is the organization URN"),
        NearMissSource(
            "logto-4-other-organization", base: "logto/access-org",
            setPayload: #"{"organization_id":"org_other"}"#,
            call: SampleCall("GET", "/orgs/org_5f0c1/orders"),
            reason: "organization_mismatch",
            why: "route /orgs/org_5f0c1"),
        NearMissSource(
            "logto-5-no-organization-on-org-route", base: "logto/access",
            call: SampleCall("GET", "/orgs/org_5f0c1/orders"),
            reason: "organization_mismatch",
            why: "global token on an organization route"),
        NearMissSource(
            "logto-6-no-scope-claim", base: "logto/access",
            unsetPayload: ["scope"],
            reason: "insufficient_scope",
            why: "roles gave nothing; claim omitted"),
        NearMissSource(
            "logto-7-alg-swap", base: "logto/access",
            setHeader: #"{"alg":"ES256"}"#,
            reason: "alg_not_allowed",
            why: "P-384 key cannot be ES256"),
        NearMissSource(
            "logto-8-resource-prefix", base: "logto/access",
            setPayload: #"{"aud":"https://shopping.your-app.com/api/"}"#,
            reason: "audience_mismatch",
            why: "exact string, no slash normalisation"),
        NearMissSource(
            "logto-9-m2m-on-user-route", base: "logto/m2m",
            variant: "users-only",
            reason: "client_not_allowed",
            why: "allow_m2m: false"),
    ]
}
