import IssuerProfiles
import ProviderFixtures
import Testing
import TokenVerification

/// Hints for operators if the cause of a rejection is a known mistake.
@Suite struct ProfileHintTests {
    @Test(arguments: IssuerProfile.allCases) func `every hint is plain ASCII, short, and in whole sentences`(
        _ profile: IssuerProfile
    ) throws {
        let issuer = try TestIssuers.trusted(profile)
        let texts =
            issuer.hints.map(\.text) + issuer.refusedIdentifiers.map(\.hint)
            + [issuer.organizationHint].compactMap(\.self)
        #expect(!texts.isEmpty)
        for text in texts {
            #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
            #expect(text.hasSuffix("."), "\(text)")
            #expect(text.utf8.count <= 280, "\(text)")
        }
    }

    @Test(arguments: Told.all) func `a token with a typical mistake gets its hint`(_ told: Told) throws {
        let samples = ProviderSamples.of(told.provider)
        let sample = try #require(samples.sample(id: told.sample))
        let gateway = try SampleGateway(for: sample, of: samples)
        let token = try SampleGateway.ring.compactJWS(sample, payload: JSONObjectPatch(told.claims))
        let rejection = try #require(throws: TokenRejection.self) { try gateway.verify(token) }
        #expect(rejection == told.rejection)
        let hint = try #require(try gateway.hint(for: rejection, token))
        #expect(hint.contains(told.words), "\(hint)")
    }

    @Test(arguments: ProviderSampleTests.nearMisses)
    func `a near-miss that the verifier refuses has a hint, unless it is a forgery`(
        _ specimen: Specimen
    ) throws {
        let gateway = try specimen.gateway
        let token = try SampleGateway.ring.compactJWS(specimen.sample)
        guard let rejection = Self.rejection(of: token, by: gateway) else { return }
        let hint = try gateway.hint(for: rejection, token)
        #expect((hint == nil) == Self.unexplained.contains(specimen.description), "\(rejection): \(hint ?? "none")")
    }

    /// Samples without a hint: never made by mistake, or from an unknown instance.
    private static let unexplained: Set<String> = [
        "b2c-2-other-tenant-global-key", "fb-8-empty-sub", "fb-9-auth-time-future", "logto-7-alg-swap",
        "gl-4-other-instance",
        "k8s-5-other-cluster", "k8s-6-same-issuer", "k8s-7-same-issuer-and-kid", "spiffe-8-x509-authority",
        "alb-7-expirations-differ",
    ]

    private static func rejection(of token: String, by gateway: SampleGateway) -> TokenRejection? {
        do {
            _ = try gateway.verify(token)
            return nil
        } catch {
            return error as? TokenRejection
        }
    }

    @Test(arguments: [
        (IssuerProfile.entraExternal, "access token"), (.entraID, "access token"), (.azureB2C, "Empty"),
        (.firebase, "user.getIDToken()"),
        (.logto, "resource="), (.auth0, "audience="), (.okta, "custom authorization server"),
        (.cognito, "access token"),
        (.google, "send the ID token"), (.zitadel, "JWT"), (.hydra, "strategies.access_token"),
    ]) func `an opaque token gets a hint`(_ profile: IssuerProfile, _ words: String) throws {
        let hint = try #require(try TestIssuers.trusted(profile).hint(for: .opaqueNotSupported, claims: nil))
        #expect(hint.contains(words), "\(hint)")
    }

    @Test func `an unknown key ID gets a hint if another setup may be the cause`() throws {
        for profile in [IssuerProfile.entraExternal, .entraID, .azureB2C, .firebase, .logto] {
            #expect(try TestIssuers.trusted(profile).hint(for: .unknownKeyID, claims: nil) != nil)
        }
    }

    @Test func `only profiles with organizations have an organization hint`() throws {
        for profile in IssuerProfile.allCases {
            let hasThem = profile == .logto || profile == .auth0
            #expect((try TestIssuers.trusted(profile).organizationHint != nil) == hasThem)
        }
    }

    @Test(arguments: [
        (IssuerProfile.auth0, "https://kestrel.eu.auth0.com"), (.okta, "https://kestrel.okta.com/oauth2/default/"),
        (.logto, "https://auth.example/oidc/"), (.keycloak, "https://id.example/realms/shop/"),
        (.zitadel, "https://kestrel.zitadel.cloud/"),
        (.authentik, "https://ak.example/application/o/orders"), (.google, "https://accounts.google.com/"),
        (.hydra, "https://hydra.example"), (.clerk, "https://clerk.kaasik.example/"),
    ]) func `an issuer with a missing or extra final slash gets a hint`(_ profile: IssuerProfile, _ issuer: String)
        throws
    {
        let refused = try #require(TokenVerifier(issuer: try TestIssuers.trusted(profile)).refusal(of: issuer))
        #expect(refused.rejection == .issuerMismatch)
        #expect(refused.hint.contains("final slash"), "\(refused.hint)")
    }

    @Test(arguments: IssuerProfile.allCases) func `no identifier is both accepted and refused`(
        _ profile: IssuerProfile
    ) throws {
        let issuer = try TestIssuers.trusted(profile)
        for text in issuer.refusedIdentifiers.compactMap(\.identifier.exactText) {
            #expect(!issuer.identifiers.contains { $0.matches(text) }, "\(text)")
        }
    }
}

/// A sample with other claims, its rejection, and words of the expected hint.
struct Told: Sendable, CustomTestStringConvertible {
    let provider: ProviderName
    let sample: String
    let claims: String
    let rejection: TokenRejection
    let words: String

    var testDescription: String { "\(sample): \(words)" }

    init(
        _ provider: ProviderName, _ sample: String, claims: String = "{}", _ rejection: TokenRejection, _ words: String
    ) {
        self.provider = provider
        self.sample = sample
        self.claims = claims
        self.rejection = rejection
        self.words = words
    }

    private static let sts = #"{"iss":"https://sts.windows.net/5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412/"}"#
    private static let graph = #"{"aud":"00000003-0000-0000-c000-000000000000"}"#
    private static let ciam = #"{"iss":"https://a.ciamlogin.com/a/v2.0"}"#

    static let all: [Told] = [
        Told(.entraExternal, "ciam-1-graph-token-no-scopes", .foreignResource, "parameters.scopes = [\"api://"),
        Told(
            .entraExternal, "entra-external/access", claims: graph, .audienceMismatch, "parameters.scopes = [\"api://"),
        Told(.entraExternal, "entra-external/access", claims: #"{"aud":"other"}"#, .audienceMismatch, "another API"),
        Told(.entraExternal, "ciam-2-tenant-name-host", .issuerMismatch, "tenant id"),
        Told(.entraExternal, "ciam-3-other-ciam-tenant-same-aud", .issuerMismatch, "another customer directory"),
        Told(.entraExternal, "ciam-4-id-token-shared-registration", .notAccessToken, "ID token"),
        Told(
            .entraExternal, "entra-external/access", claims: sts, .versionNotAllowed, "requestedAccessTokenVersion to 2"
        ),
        Told(
            .entraExternal, "entra-external/access", claims: #"{"ver":"1.0"}"#, .versionNotAllowed,
            "requestedAccessTokenVersion to 2"),
        Told(.entraID, "entra-1-tenant-not-listed", .tenantNotAllowed, "allowed_tenants"),
        Told(.entraID, "entra-6-v1-on-v2-only-profile", .versionNotAllowed, "requestedAccessTokenVersion to 2"),
        Told(.entraID, "entra-8-id-token", .notAccessToken, "ID token"),
        Told(.entraID, "entra-8-id-token", claims: #"{"roles":["Orders.Sync.All"]}"#, .notAccessToken, "ID token"),
        Told(
            .entraID, "entra-8-id-token", claims: #"{"roles":["Orders.Sync.All"],"azp":"x"}"#, .notAccessToken,
            "allow_app_only: true"),
        Told(.entraID, "entra-10-graph", .foreignResource, "Microsoft Graph"),
        Told(.azureB2C, "b2c-1-password-reset-policy", .policyNotAllowed, "Password reset"),
        Told(.azureB2C, "b2c-4-id-token-own-client-id", .notAccessToken, "scope"),
        Told(
            .azureB2C, "b2c/access",
            claims:
                #"{"iss":"https://rotkiefer.b2clogin.com/tfp/c19e5f08-43a7-4d96-b20c-fa6817d3e592/b2c_1_susi/v2.0/"}"#,
            .issuerMismatch, "issuer_style: tfp"),
        Told(
            .azureB2C, "b2c/access",
            claims: #"{"iss":"https://login.microsoftonline.com/c19e5f08-43a7-4d96-b20c-fa6817d3e592/v2.0/"}"#,
            .issuerMismatch, "domains"),
        Told(.firebase, "fb-1-other-project", .issuerMismatch, "another Firebase project"),
        Told(.firebase, "fb-2-mixed-project", .audienceMismatch, "another Firebase project"),
        Told(.firebase, "fb-3-microsoft-id-token", .issuerMismatch, "not credential.idToken or credential.accessToken"),
        Told(
            .firebase, "fb-4-microsoft-access-token", .issuerMismatch,
            "not credential.idToken or credential.accessToken"),
        Told(
            .firebase, "firebase/bearer", claims: ciam, .issuerMismatch,
            "not credential.idToken or credential.accessToken"),
        Told(.firebase, "fb-5-custom-token", .issuerMismatch, "custom token"),
        Told(.firebase, "fb-6-tenant-user-on-project-profile", .tenantNotAllowed, "tenants"),
        Told(.firebase, "fb-7-session-cookie", .issuerMismatch, "accept_session_cookies: true"),
        Told(
            .firebase, "firebase/bearer", claims: #"{"iss":"https://accounts.google.com"}"#, .issuerMismatch,
            "user.getIDToken()"),
        Told(
            .firebase, "firebase/bearer", claims: #"{"firebase":{"sign_in_provider":"anonymous"}}"#, .policyNotAllowed,
            "allow_anonymous: true"),
        Told(.logto, "logto-1-id-token", .typeMismatch, "at+jwt"),
        Told(.logto, "logto-2-sibling-resource", .audienceMismatch, "resource="),
        Told(.logto, "logto-9-m2m-on-user-route", .clientNotAllowed, "allow_m2m"),
        Told(.auth0, "auth0-1-userinfo-only", .audienceMismatch, "audience="),
        Told(.auth0, "auth0-2-no-slash", .issuerMismatch, "final slash"),
        Told(.okta, "okta-1-org-as", .issuerMismatch, "/oauth2/default"),
        Told(.okta, "okta-2-other-as", .issuerMismatch, "another authorization server"),
        Told(.keycloak, "kc-2-account-only", .audienceMismatch, "audience mapper"),
        Told(.keycloak, "kc-1-id-token", .notAccessToken, "typ is not Bearer"),
        Told(.cognito, "cog-1-id-token", .notAccessToken, "token_use"),
        Told(.cognito, "cog-2-other-client", .clientNotAllowed, "client_ids"),
        Told(.google, "goog-1-other-client", .audienceMismatch, "another app"),
        Told(.google, "goog-2-no-hd", .tenantNotAllowed, "hosted_domain"),
        Told(.google, "goog-3-firebase-confusion", .issuerMismatch, "profile: firebase"),
        Told(
            .google, "google/id", claims: #"{"email":"x@y.iam.GServiceAccount.com"}"#, .clientNotAllowed,
            "accept_service_accounts"),
        Told(.zitadel, "zit-1-id-token", .notAccessToken, "access token type"),
        Told(.zitadel, "zit-2-other-project", .audienceMismatch, "urn:zitadel:iam:org:project:id:"),
        Told(.zitadel, "zit-3-role-in-other-org", .tenantNotAllowed, "org_ids"),
        Told(.gitHubActions, "gha-1-other-owner", .tenantNotAllowed, "owners"),
        Told(.gitHubActions, "gha-2-usual-audience", .audienceMismatch, "&audience="),
        Told(.gitHubActions, "gha-3-enterprise", .issuerMismatch, "enterprise"),
        Told(.gitLabCI, "gitlab-ci/sign-in", .notAccessToken, "id_tokens"),
        Told(.gitLabCI, "gl-2-subgroup", .tenantNotAllowed, "subgroup"),
        Told(.kubernetes, "k8s-2-api-server", .audienceMismatch, "projected volume"),
        Told(.kubernetes, "k8s-3-secret", .issuerMismatch, "Secret"),
        Told(.spiffe, "spiffe-4-no-spiffe-id", .notAccessToken, "JWT-SVID"),
        Told(.spiffe, "spiffe-2-other-domain", .tenantNotAllowed, "trust domain"),
        Told(.hydra, "hydra/no-audience", .audienceMismatch, "without_audience"),
        Told(.hydra, "hydra/id", .audienceMismatch, "ID token"),
        Told(.hydra, "hydra-1-id-token", .notAccessToken, "client_id"),
        Told(.hydra, "hydra-2-other-api", .audienceMismatch, "audience="),
        Told(.hydra, "hydra-4-no-final-slash", .issuerMismatch, "final slash"),
        Told(.clerk, "clerk/no-audience", .audienceMismatch, "without_audience"),
        Told(.clerk, "clerk-1-oauth-as-session", .notAccessToken, "tokens: oauth"),
        Told(.clerk, "clerk-2-session-as-oauth", .typeMismatch, "at+jwt"),
        Told(.clerk, "clerk-3-pending-session", .claimInvalid, "pending"),
        Told(.googleIAP, "iap-1-other-service", .audienceMismatch, "backend service"),
        Told(.googleIAP, "iap-3-other-domain", .tenantNotAllowed, "hosted_domain"),
        Told(.cloudflareAccess, "cfa-1-other-application", .audienceMismatch, "AUD"),
        Told(.cloudflareAccess, "cfa-2-team-token", .notAccessToken, "Cf-Access-Jwt-Assertion"),
        Told(.cloudflareAccess, "cfa-3-service-token-for-users", .clientNotAllowed, "allow_service_tokens"),
        Told(.firebaseAppCheck, "appcheck-2-other-app", .clientNotAllowed, "apps"),
        Told(
            .firebaseAppCheck, "firebase-app-check/app",
            claims: #"{"iss":"https://securetoken.google.com/kestrel-demo-4411"}"#, .issuerMismatch, "profile: firebase"
        ),
        Told(.awsALB, "alb-1-other-customer", .signerNotAllowed, "add its ARN to signer"),
        Told(.awsALB, "alb-4-issuer-in-header", .issuerMismatch, "another identity provider"),
        Told(.awsALB, "alb-6-other-client", .clientNotAllowed, "clients"),
        Told(.authentik, "ak-1-id-token", .notAccessToken, "uid"),
        Told(.authentik, "ak-2-other-slug", .issuerMismatch, "another application"),
        Told(.authentik, "ak-3-hs256", .algorithmNotAllowed, "signing key"),
        Told(
            .authentik, "authentik/access", claims: #"{"iss":"https://ak.example/"}"#, .issuerMismatch,
            "issuer_mode: global"),
    ]
}
