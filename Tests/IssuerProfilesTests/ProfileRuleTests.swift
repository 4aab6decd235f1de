import IssuerProfiles
import ProviderFixtures
import Testing
import TokenVerification

/// Parameters that decide whether a token is accepted, each with such a token.
@Suite struct ProfileRuleTests {
    @Test(arguments: Ruling.all) func `a profile's parameters decide whether a token is accepted`(_ ruling: Ruling)
        throws
    {
        let samples = ProviderSamples.of(ruling.provider)
        let sample = try #require(samples.sample(id: ruling.sample))
        let setup = try #require(samples.setup(for: sample))
        let payload = try JSONObjectPatch(ruling.claims, unset: ruling.unset)
        let token = try SampleGateway.ring.compactJWS(sample, payload: payload)
        let gateway = try SampleGateway(setup, changing: ruling.parameters)
        if let rejection = ruling.rejection {
            #expect(throws: rejection) { try gateway.verify(token) }
        } else {
            #expect(throws: Never.self) { try gateway.verify(token) }
        }
    }

    @Test func `Logto's organization tokens satisfy rules without an organization only if configured`() throws {
        #expect(try TestIssuers.trusted(.logto).organizationUse == .onlyWhereAsked)
        #expect(try TestIssuers.trusted(.logto, ["organization": .text("optional")]).organizationUse == .anywhere)
    }

    @Test func `each profile knows the audience and scopes of its provider`() throws {
        #expect(try TestIssuers.trusted(.firebase).audience == .fixed(["kestrel-demo-4411"]))
        #expect(try TestIssuers.trusted(.cognito).audience == .client)
        #expect(TestIssuers.outcome(.firebase).issuer?.hasScopes == false)
        #expect(TestIssuers.outcome(.google).issuer?.hasScopes == false)
        #expect(TestIssuers.outcome(.zitadel).issuer?.hasScopes == false)
        #expect(TestIssuers.outcome(.okta).issuer?.hasScopes == true)
        #expect(TestIssuers.outcome(.entraExternal).issuer?.displayClaims.contains("country") == true)
    }
}

/// A sample with other claims under other parameters, and the expected result.
struct Ruling: Sendable, CustomTestStringConvertible {
    let provider: ProviderName
    let sample: String
    let claims: String
    let unset: [String]
    let parameters: [String: ParameterValue]
    let rejection: TokenRejection?

    var testDescription: String { "\(sample) \(claims) \(parameters): \(rejection.map(\.rawValue) ?? "let in")" }

    init(
        _ provider: ProviderName, _ sample: String, claims: String = "{}", unset: [String] = [],
        under parameters: [String: ParameterValue] = [:], _ rejection: TokenRejection?
    ) {
        self.provider = provider
        self.sample = sample
        self.claims = claims
        self.unset = unset
        self.parameters = parameters
        self.rejection = rejection
    }

    static let all = microsoft + google + others

    private static let appOnly = #"{"roles":["Sync"]}"#
    private static let otherBalancer =
        "arn:aws:elasticloadbalancing:eu-north-1:441100223344:loadbalancer/app/back-office/0a1b2c3d4e5f6071"
    private static let foreignBalancer =
        "arn:aws:elasticloadbalancing:eu-north-1:998877665544:loadbalancer/app/shop/50dc6c495c0c9188"
    private static let tfp =
        #"{"iss":"https://rotkiefer.b2clogin.com/tfp/c19e5f08-43a7-4d96-b20c-fa6817d3e592/b2c_1_susi/v2.0/"}"#
    private static let otherTFP =
        #"{"iss":"https://rotkiefer.b2clogin.com/tfp/c19e5f08-43a7-4d96-b20c-fa6817d3e592/B2C_1A_signup/v2.0/"}"#

    private static let microsoft: [Ruling] = [
        Ruling(.entraExternal, "entra-external/access", claims: appOnly, unset: ["scp"], .notAccessToken),
        Ruling(
            .entraExternal, "entra-external/access", claims: appOnly, unset: ["scp"],
            under: ["allow_app_only": .boolean(true)], nil),
        Ruling(.entraExternal, "entra-external/access", claims: #"{"scp":""}"#, .notAccessToken),
        Ruling(
            .entraExternal, "entra-external/access", under: ["clients": .text(TestIssuers.other)], .clientNotAllowed),
        Ruling(.entraExternal, "entra-external/access", unset: ["azp"], .clientNotAllowed),
        Ruling(.entraExternal, "entra-external/access", unset: ["ver"], .versionNotAllowed),
        Ruling(.entraExternal, "entra-external/access", claims: #"{"oid":""}"#, .subjectInvalid),
        Ruling(
            .entraExternal, "entra-external/access", claims: #"{"iss":"https://login.example/x"}"#,
            under: ["extra_issuers": .text("https://login.example/x")], nil),
        Ruling(.entraID, "entra-id/access-app-only", under: ["allow_app_only": .boolean(false)], .notAccessToken),
        // If app and API share a registration, an ID token has the audience and the roles of the user.
        Ruling(
            .entraExternal, "entra-external/access", claims: appOnly, unset: ["scp", "azp"],
            under: ["allow_app_only": .boolean(true)],
            .notAccessToken),
        Ruling(
            .entraID, "entra-id/access-app-only", unset: ["azp"], under: ["allow_app_only": .boolean(true)],
            .notAccessToken),
        Ruling(
            .entraID, "entra-id/access-app-only", claims: #"{"appid":"x"}"#, unset: ["azp"],
            under: ["allow_app_only": .boolean(true)], nil),
        Ruling(.entraID, "entra-id/access-v2", under: ["versions": .text("1")], .versionNotAllowed),
        Ruling(.azureB2C, "b2c/access", claims: #"{"tfp":"b2c_1_SUSI"}"#, nil),
        Ruling(.azureB2C, "b2c/access", unset: ["tfp"], .policyNotAllowed),
        Ruling(.azureB2C, "b2c/access", claims: #"{"acr":"b2c_1_susi"}"#, unset: ["tfp"], nil),
        Ruling(
            .azureB2C, "b2c/access", claims: #"{"acr":"b2c_1_susi"}"#, unset: ["tfp"],
            under: ["policy_claim": .text("tfp")],
            .policyNotAllowed),
        Ruling(.azureB2C, "b2c/access", claims: #"{"acr":"urn:x"}"#, under: ["policy_claim": .text("tfp")], nil),
        Ruling(.azureB2C, "b2c/access", claims: tfp, under: ["issuer_style": .text("tfp")], nil),
        Ruling(.azureB2C, "b2c/access", claims: otherTFP, under: ["issuer_style": .text("tfp")], .policyNotAllowed),
        Ruling(.azureB2C, "b2c/access", under: ["issuer_style": .text("tfp")], .issuerMismatch),
        Ruling(
            .azureB2C, "b2c/access",
            claims: #"{"iss":"https://login.kiefer.example/c19e5f08-43a7-4d96-b20c-fa6817d3e592/v2.0/"}"#,
            under: ["domains": .texts(["rotkiefer.b2clogin.com", "login.kiefer.example"])], nil),
    ]

    private static let anonymous = #"{"firebase":{"sign_in_provider":"anonymous"}}"#

    private static let google: [Ruling] = [
        Ruling(.firebase, "firebase/bearer", claims: anonymous, .policyNotAllowed),
        Ruling(.firebase, "firebase/bearer", claims: anonymous, under: ["allow_anonymous": .boolean(true)], nil),
        Ruling(.firebase, "firebase/bearer", under: ["sign_in_providers": .text("password")], .policyNotAllowed),
        Ruling(.firebase, "firebase/bearer", under: ["sign_in_providers": .texts(["password", "microsoft.com"])], nil),
        Ruling(.firebase, "firebase/bearer", unset: ["firebase"], .claimInvalid),
        Ruling(
            .firebase, "firebase/bearer", claims: #"{"firebase":"x"}"#, under: ["allow_anonymous": .boolean(true)],
            .claimInvalid),
        Ruling(.firebase, "firebase/bearer", under: ["tenants": .text("any")], nil),
        Ruling(.firebase, "firebase/bearer", under: ["tenants": .text("acme-x7k2p")], .tenantNotAllowed),
        Ruling(.firebase, "firebase/bearer-tenant", under: ["tenants": .text("any")], nil),
        Ruling(.firebase, "firebase/bearer-tenant", under: ["tenants": .text("other")], .tenantNotAllowed),
        Ruling(.firebase, "firebase/bearer-tenant", under: ["require_email_verified": .boolean(true)], .claimInvalid),
        Ruling(
            .firebase, "firebase/bearer", claims: #"{"email_verified":"true"}"#,
            under: ["require_email_verified": .boolean(true)],
            .claimInvalid),
        Ruling(.firebase, "firebase/bearer", under: ["require_email_verified": .boolean(true)], nil),
        Ruling(.firebase, "firebase/bearer", under: ["max_auth_age": .duration(.seconds(3600))], .authenticationTooOld),
        Ruling(.firebase, "firebase/bearer", under: ["max_auth_age": .duration(.seconds(12 * 3600))], nil),
        Ruling(.firebase, "firebase/bearer", unset: ["auth_time"], .authTimeInvalid),
        Ruling(.firebase, "firebase/bearer", unset: ["sub"], .subjectInvalid),
        Ruling(.firebase, "firebase/bearer", claims: #"{"sub":"\#(String(repeating: "x", count: 128))"}"#, nil),
        Ruling(
            .firebase, "firebase/bearer", claims: #"{"sub":"\#(String(repeating: "x", count: 129))"}"#, .subjectInvalid),
        Ruling(.google, "google/id", claims: #"{"iss":"accounts.google.com"}"#, nil),
        Ruling(.google, "google/id", claims: #"{"azp":"109876543210"}"#, .clientNotAllowed),
        Ruling(
            .google, "google/id", claims: #"{"azp":"109876543210"}"#,
            under: ["accept_service_accounts": .boolean(true)], nil),
        Ruling(.google, "google/id", claims: #"{"hd":"fremd.example"}"#, .tenantNotAllowed),
        Ruling(.google, "google/id", under: ["hosted_domain": .texts(["fremd.example", "Kaasik.Example"])], nil),
    ]

    private static let others: [Ruling] = [
        Ruling(.logto, "logto/m2m", nil),
        Ruling(.logto, "logto/m2m", under: ["allow_m2m": .boolean(false)], .clientNotAllowed),
        Ruling(.logto, "logto/m2m", unset: ["sub"], under: ["allow_m2m": .boolean(false)], .clientNotAllowed),
        Ruling(.logto, "logto/access", under: ["allow_m2m": .boolean(false)], nil),
        Ruling(
            .logto, "logto/access", claims: #"{"iss":"https://auth.example/oidc"}"#,
            under: ["extra_issuers": .text("https://auth.example/oidc")], nil),
        Ruling(.logto, "logto/access", under: ["clients": .text("other")], .clientNotAllowed),
        Ruling(.auth0, "auth0/access", under: ["dialect": .text("rfc9068")], .typeMismatch),
        Ruling(.auth0, "auth0/access", claims: #"{"client_id":"x"}"#, unset: ["azp"], nil),
        Ruling(.auth0, "auth0/access", unset: ["azp"], .notAccessToken),
        Ruling(.okta, "okta/access", unset: ["cid"], .notAccessToken),
        Ruling(.keycloak, "keycloak/access", unset: ["typ"], .notAccessToken),
        Ruling(.keycloak, "keycloak/access", claims: #"{"typ":"DPoP"}"#, .notAccessToken),
        Ruling(.keycloak, "keycloak/access", claims: #"{"cnf":{"jkt":"x"}}"#, .boundToken),
        Ruling(.cognito, "cognito/access", claims: #"{"aud":"57cbishk4j24pabc1234567890"}"#, nil),
        Ruling(.cognito, "cognito/access", claims: #"{"aud":"https://other.example"}"#, .audienceMismatch),
        Ruling(.cognito, "cognito/access", unset: ["client_id"], .clientNotAllowed),
        Ruling(.zitadel, "zitadel/access", claims: #"{"nonce":"x"}"#, .notAccessToken),
        Ruling(.zitadel, "zitadel/access", unset: ["jti"], .notAccessToken),
        Ruling(
            .zitadel, "zit-3-role-in-other-org", claims: #"{"urn:zitadel:iam:user:resourceowner:id":"2840"}"#, nil),
        Ruling(.hydra, "hydra/access", claims: #"{"rat":1789999890}"#, .notAccessToken),
        Ruling(.hydra, "hydra/access", under: ["clients": .texts(["web-shop"])], nil),
        Ruling(.hydra, "hydra/access", under: ["clients": .texts(["other"])], .clientNotAllowed),
        Ruling(.clerk, "clerk/session", unset: ["sts", "o", "azp"], nil),
        Ruling(.clerk, "clerk/session", unset: ["sub"], .subjectInvalid),
        Ruling(.clerk, "clerk/session", unset: ["azp"], under: ["clients": .texts(["a"])], .clientNotAllowed),
        Ruling(.clerk, "clerk/session", under: ["clients": .texts(["https://shop.kaasik.example"])], nil),
        Ruling(.googleIAP, "google-iap/assertion", claims: #"{"exp":1790000661}"#, .claimInvalid),
        Ruling(.googleIAP, "google-iap/assertion", claims: #"{"exp":1790000660}"#, nil),
        Ruling(.googleIAP, "google-iap/assertion", unset: ["sub"], .subjectInvalid),
        Ruling(.cloudflareAccess, "cloudflare-access/user", unset: ["type"], .notAccessToken),
        Ruling(.cloudflareAccess, "cloudflare-access/service", claims: #"{"sub":"\u0001"}"#, .subjectInvalid),
        Ruling(.firebaseAppCheck, "firebase-app-check/app", claims: #"{"sub":""}"#, .clientNotAllowed),
        Ruling(
            .firebaseAppCheck, "firebase-app-check/app", claims: #"{"aud":["projects/kestrel"]}"#, .audienceMismatch),
        Ruling(.awsALB, "aws-alb/user", unset: ["sub"], .subjectInvalid),
        Ruling(.awsALB, "aws-alb/user", claims: #"{"aud":"anything"}"#, nil),
        Ruling(.awsALB, "aws-alb/user", under: ["clients": .texts(["a", "shop-web"])], nil),
        Ruling(.awsALB, "aws-alb/user", under: ["signer": .texts([otherBalancer])], .signerNotAllowed),
        Ruling(.awsALB, "aws-alb/user", under: ["signer": .texts([otherBalancer, TestIssuers.balancer])], nil),
        Ruling(.awsALB, "alb-1-other-customer", under: ["signer": .text(foreignBalancer)], nil),
        Ruling(.gitHubActions, "github-actions/job", under: ["owner_ids": .texts(["4417700"])], nil),
        Ruling(.gitHubActions, "github-actions/job", under: ["owner_ids": .texts(["1"])], .tenantNotAllowed),
        Ruling(.gitHubActions, "github-actions/job", under: ["repositories": .texts(["kaasik/shop"])], nil),
        Ruling(
            .gitHubActions, "github-actions/job", under: ["repositories": .texts(["kaasik/other"])], .clientNotAllowed),
        Ruling(.gitHubActions, "github-actions/job", under: ["enterprise": .text("kaasik-oy")], .issuerMismatch),
        Ruling(.gitHubActions, "gha-3-enterprise", under: ["enterprise": .text("fremd-oy")], nil),
        Ruling(.gitLabCI, "gitlab-ci/job", under: ["projects": .texts(["kaasik/shop"])], nil),
        Ruling(.gitLabCI, "gitlab-ci/job", under: ["projects": .texts(["kaasik/other"])], .clientNotAllowed),
        Ruling(.gitLabCI, "gl-4-other-instance", under: ["url": .text("https://gitlab.example.com")], nil),
        Ruling(.kubernetes, "kubernetes/projected", under: ["service_accounts": .texts(["shop:checkout"])], nil),
        Ruling(
            .kubernetes, "kubernetes/projected", under: ["service_accounts": .texts(["shop:orders"])], .clientNotAllowed
        ),
        Ruling(
            .spiffe, "spiffe/jwt-svid", under: ["workloads": .texts(["spiffe://kaasik.example/ns/shop/sa/checkout"])],
            nil),
        Ruling(
            .spiffe, "spiffe/jwt-svid", under: ["workloads": .texts(["spiffe://kaasik.example/ns/shop"])],
            .clientNotAllowed),
        Ruling(.spiffe, "spiffe-2-other-domain", under: ["trust_domain": .text("fremd.example")], nil),
        Ruling(.kubernetes, "k8s-5-other-cluster", under: ["issuer": .text("https://oidc.example/id/A1")], nil),
        Ruling(.authentik, "authentik/access", unset: ["azp"], .notAccessToken),
        Ruling(
            .authentik, "authentik/access", claims: #"{"iss":"https://ak.example/"}"#,
            under: ["issuer_mode": .text("global")], nil),
    ]
}
