import IssuerProfiles
import KeySets
import Testing
import TokenVerification

/// Values of `iss` and addresses of keys, for each way to configure a profile.
@Suite struct IssuerAddressTests {
    private static let tenant = TestIssuers.tenant

    @Test(arguments: [
        (IssuerProfile.entraExternal, "https://\(tenant).ciamlogin.com/\(tenant)/v2.0"),
        (.entraID, "https://login.microsoftonline.com/\(tenant)/v2.0"),
        (.azureB2C, "https://rotkiefer.b2clogin.com/\(tenant)/v2.0/"),
        (.firebase, "https://securetoken.google.com/kestrel-demo-4411"), (.logto, "https://auth.example/oidc"),
        (.auth0, "https://kestrel.eu.auth0.com/"), (.okta, "https://kestrel.okta.com/oauth2/default"),
        (.keycloak, "https://id.example/realms/shop"),
        (.cognito, "https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Ab12Cd34E"),
        (.google, "https://accounts.google.com"),
        (.zitadel, "https://kestrel.zitadel.cloud"), (.authentik, "https://ak.example/application/o/orders/"),
        (.hydra, "https://hydra.example/"), (.clerk, "https://clerk.kaasik.example"),
        (.googleIAP, "https://cloud.google.com/iap"), (.cloudflareAccess, "https://kaasik.cloudflareaccess.com"),
        (.firebaseAppCheck, "https://firebaseappcheck.googleapis.com/441100223344"),
        (.awsALB, "https://id.kaasik.example/realms/shop"),
        (.gitHubActions, "https://token.actions.githubusercontent.com"), (.gitLabCI, "https://gitlab.com"),
        (.kubernetes, "https://kubernetes.default.svc.cluster.local"), (.spiffe, "https://oidc.kaasik.example"),
    ]) func `the first issuer identifier is the provider's usual one`(_ profile: IssuerProfile, _ identifier: String)
        throws
    {
        #expect(try TestIssuers.trusted(profile).identifier == identifier)
    }

    @Test(arguments: [
        (
            IssuerProfile.entraExternal,
            "https://\(tenant).ciamlogin.com/\(tenant)/v2.0/.well-known/openid-configuration"
        ),
        (.entraID, "https://login.microsoftonline.com/\(tenant)/v2.0/.well-known/openid-configuration"),
        (.firebase, "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"),
        (.logto, "https://auth.example/oidc/jwks"), (.auth0, "https://kestrel.eu.auth0.com/.well-known/jwks.json"),
        (.okta, "https://kestrel.okta.com/oauth2/default/v1/keys"),
        (.keycloak, "https://id.example/realms/shop/protocol/openid-connect/certs"),
        (.cognito, "https://cognito-idp.eu-north-1.amazonaws.com/eu-north-1_Ab12Cd34E/.well-known/jwks.json"),
        (.google, "https://www.googleapis.com/oauth2/v3/certs"),
        (.zitadel, "https://kestrel.zitadel.cloud/oauth/v2/keys"),
        (.authentik, "https://ak.example/application/o/orders/jwks/"),
        (.hydra, "https://hydra.example/.well-known/jwks.json"),
        (.clerk, "https://clerk.kaasik.example/.well-known/jwks.json"),
        (.googleIAP, "https://www.gstatic.com/iap/verify/public_key-jwk"),
        (.cloudflareAccess, "https://kaasik.cloudflareaccess.com/cdn-cgi/access/certs"),
        (.firebaseAppCheck, "https://firebaseappcheck.googleapis.com/v1/jwks"),
        (.awsALB, "https://public-keys.auth.elb.eu-north-1.amazonaws.com"),
        (.gitHubActions, "https://token.actions.githubusercontent.com/.well-known/jwks"),
        (.gitLabCI, "https://gitlab.com/oauth/discovery/keys"),
        (.kubernetes, "https://kubernetes.default.svc/openid/v1/jwks"),
    ]) func `the only key set of a provider has no name`(_ profile: IssuerProfile, _ address: String) {
        #expect(TestIssuers.outcome(profile).keySets == [" " + address])
    }

    @Test(arguments: [
        (IssuerProfile.entraExternal, ["https://login.example/x"]), (.azureB2C, ["https://login.example/x/"]),
        (.logto, ["https://h7k2qd.logto.app/oidc", "https://other.example/oidc"]), (.auth0, ["https://login.example/"]),
        (.okta, ["https://login.example/oauth2/default"]), (.keycloak, ["https://intern.example/realms/shop"]),
    ]) func `extra issuers are added to the usual one, with the same key set`(
        _ profile: IssuerProfile, _ extra: [String]
    ) {
        let usual = TestIssuers.outcome(profile)
        let extended = TestIssuers.outcome(profile, ["extra_issuers": .texts(extra)])
        #expect(extended.identifiers == usual.identifiers + extra)
        #expect(extended.keySets == usual.keySets)
        #expect(extended.issuer?.trusted.identifiers.allSatisfy { $0.keySet == 0 } == true)
    }

    @Test func `an extra issuer of External ID belongs to the same tenant`() throws {
        let issuer = try TestIssuers.trusted(.entraExternal, ["extra_issuers": .text("https://login.example/x")])
        #expect(issuer.identifiers.map(\.tenant) == [Self.tenant, Self.tenant])
    }

    @Test(arguments: [
        (["tenant_name": ParameterValue.text("nordlicht")], "nordlicht.ciamlogin.com"),
        (["tenant_name": .text("nordlicht"), "custom_domain": .text("Login.Example")], "login.example"),
    ]) func `External ID keys are fetched from the configured host, and the issuer still has the tenant's GUID`(
        _ changes: [String: ParameterValue], _ host: String
    ) throws {
        let outcome = TestIssuers.outcome(.entraExternal, changes)
        let configuration = try #require(outcome.issuer?.keySets.first?.configuration)
        #expect(
            configuration.source
                == .metadata(url: "https://\(host)/\(Self.tenant)/v2.0/.well-known/openid-configuration"))
        #expect(configuration.issuer == "https://\(Self.tenant).ciamlogin.com/\(Self.tenant)/v2.0")
        #expect(outcome.identifiers == [configuration.issuer])
        #expect(
            outcome.issuer?.trusted.stepUp
                == .claimsRequest(
                    realm: Self.tenant, authorizationURI: "https://\(host)/\(Self.tenant)/oauth2/v2.0/authorize"))
    }

    @Test func `GUIDs are converted to lower case`() throws {
        #expect(
            try TestIssuers.trusted(.entraID, ["tenant": .text(Self.tenant.uppercased())])
                == TestIssuers.trusted(.entraID))
    }

    @Test(arguments: [
        ("public", "login.microsoftonline.com", "sts.windows.net"),
        ("us-government", "login.microsoftonline.us", "sts.windows.net"),
        ("china", "login.partner.microsoftonline.cn", "sts.chinacloudapi.cn"),
    ]) func `each Entra cloud has its own hosts, and each token version its own metadata`(
        _ cloud: String, _ host: String, _ old: String
    ) throws {
        let outcome = TestIssuers.outcome(.entraID, ["cloud": .text(cloud), "versions": .texts(["1", "2"])])
        #expect(outcome.identifiers == ["https://\(host)/\(Self.tenant)/v2.0", "https://\(old)/\(Self.tenant)/"])
        #expect(outcome.issuer?.trusted.identifiers.map(\.keySet) == [0, 1])
        #expect(outcome.issuer?.trusted.versions == [.string("2.0"), .string("1.0")])
        #expect(
            outcome.keySets == [
                "v2 https://\(host)/\(Self.tenant)/v2.0/.well-known/openid-configuration",
                "v1 https://\(host)/\(Self.tenant)/.well-known/openid-configuration",
            ])
        #expect(outcome.issuer?.keySets.map(\.configuration.issuer) == outcome.identifiers)
        #expect(
            outcome.issuer?.trusted.stepUp
                == .claimsRequest(
                    realm: Self.tenant, authorizationURI: "https://\(host)/\(Self.tenant)/oauth2/authorize"))
    }

    @Test(arguments: ["common", "organizations"])
    func `a configuration for many tenants has an issuer template, also in metadata`(_ word: String)
        throws
    {
        let outcome = TestIssuers.outcome(
            .entraID, ["tenant": .text(word), "any_tenant": .boolean(true), "versions": .texts(["2", "1"])])
        let issuer = try #require(outcome.issuer)
        #expect(
            outcome.identifiers == [
                "https://login.microsoftonline.com/{tenantid}/v2.0", "https://sts.windows.net/{tenantid}/",
            ])
        #expect(issuer.keySets.map(\.configuration.issuer) == outcome.identifiers)
        #expect(
            issuer.keySets.first?.configuration.source
                == .metadata(url: "https://login.microsoftonline.com/\(word)/v2.0/.well-known/openid-configuration"))
        #expect(issuer.trusted.directory == DirectoryRule(allowed: nil))
        #expect(issuer.trusted.authorizationServers == ["https://login.microsoftonline.com/organizations/v2.0"])
        #expect(
            issuer.trusted.stepUp
                == .claimsRequest(
                    realm: "", authorizationURI: "https://login.microsoftonline.com/common/oauth2/authorize"))
    }

    @Test func `consumers is a single tenant with its own metadata address`() throws {
        let outcome = TestIssuers.outcome(.entraID, ["tenant": .text("consumers")])
        #expect(outcome.identifiers == ["https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"])
        #expect(
            outcome.keySets == [" https://login.microsoftonline.com/consumers/v2.0/.well-known/openid-configuration"])
    }

    @Test func `an app with its own signing keys is named in the metadata address`() {
        let app = "3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3"
        let outcome = TestIssuers.outcome(.entraID, ["custom_signing_app_id": .text(app), "versions": .text("1")])
        #expect(
            outcome.keySets == [
                " https://login.microsoftonline.com/\(Self.tenant)/.well-known/openid-configuration?appid=\(app)"
            ])
    }

    @Test func `B2C has a key set for each policy, spelled as configured`() {
        let outcome = TestIssuers.outcome(
            .azureB2C,
            [
                "policies": .texts(["B2C_1_susi", "B2C_1A_signup"]),
                "domains": .texts(["login.kiefer.example", "rotkiefer.b2clogin.com"]),
            ])
        #expect(
            outcome.identifiers == [
                "https://login.kiefer.example/\(Self.tenant)/v2.0/",
                "https://rotkiefer.b2clogin.com/\(Self.tenant)/v2.0/",
            ])
        #expect(
            outcome.keySets == [
                "B2C_1_susi https://login.kiefer.example/rotkiefer.onmicrosoft.com/B2C_1_susi/discovery/v2.0/keys",
                "B2C_1A_signup https://login.kiefer.example/rotkiefer.onmicrosoft.com/B2C_1A_signup/discovery/v2.0/keys",
            ])
        #expect(
            outcome.issuer?.trusted.authorizationServers == [
                "https://login.kiefer.example/rotkiefer.onmicrosoft.com/B2C_1_susi/v2.0",
                "https://login.kiefer.example/rotkiefer.onmicrosoft.com/B2C_1A_signup/v2.0",
            ])
    }

    @Test func `B2C's TFP style has the policy in the issuer, in either spelling`() {
        let outcome = TestIssuers.outcome(
            .azureB2C, ["policies": .texts(["b2c_1_edit", "B2C_1_susi"]), "issuer_style": .text("tfp")])
        let prefix = "https://rotkiefer.b2clogin.com/tfp/\(Self.tenant)"
        #expect(
            outcome.identifiers == [
                "\(prefix)/b2c_1_edit/v2.0/", "\(prefix)/B2C_1_susi/v2.0/", "\(prefix)/b2c_1_susi/v2.0/",
            ])
        #expect(outcome.issuer?.trusted.identifiers.map(\.policy) == [0, 1, 1])
    }

    @Test func `Firebase's session cookies have their own issuer and keys`() {
        let outcome = TestIssuers.outcome(.firebase, ["accept_session_cookies": .boolean(true)])
        #expect(
            outcome.identifiers == [
                "https://securetoken.google.com/kestrel-demo-4411",
                "https://session.firebase.google.com/kestrel-demo-4411",
            ])
        #expect(outcome.issuer?.trusted.identifiers.map(\.keySet) == [0, 1])
        #expect(
            outcome.keySets == [
                "tokens https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
                "session_cookies https://identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys",
            ])
    }

    @Test func `authentik's global mode has one issuer for all applications, with the application's keys`() {
        let outcome = TestIssuers.outcome(.authentik, ["issuer_mode": .text("global")])
        #expect(outcome.identifiers == ["https://ak.example/"])
        #expect(outcome.keySets == [" https://ak.example/application/o/orders/jwks/"])
    }

    @Test func `Google's issuer is accepted in two spellings`() {
        #expect(TestIssuers.outcome(.google).identifiers == ["https://accounts.google.com", "accounts.google.com"])
    }

    @Test(arguments: [
        ("us-gov-west-1_Ab1", "https://cognito-idp.us-gov-west-1.amazonaws.com/us-gov-west-1_Ab1"),
        ("ap-southeast-2_x", "https://cognito-idp.ap-southeast-2.amazonaws.com/ap-southeast-2_x"),
    ]) func `Cognito's region is read from the user pool id`(_ pool: String, _ identifier: String) {
        #expect(TestIssuers.outcome(.cognito, ["user_pool_id": .text(pool)]).identifiers == [identifier])
    }

    @Test(arguments: [
        "eu-north-1_", "_Ab1", "eu-north-11_Ab1", "eu-north_Ab1", "EU-north-1_Ab1", "eu-x-north-1_Ab1",
        "eu-north-1_A_b", "eu-north-1_A.b",
    ])
    func `an invalid user pool id is refused`(_ pool: String) {
        #expect(
            TestIssuers.outcome(.cognito, ["user_pool_id": .text(pool)]).problems.first?.message
                == "`\(pool)` is not a user pool id")
    }

    @Test(arguments: IssuerProfile.allCases)
    func `Microsoft's keys are kept for a day and refreshed hourly, other keys as usual`(
        _ profile: IssuerProfile
    ) throws {
        let isEntra = [.entraID, .entraExternal, .azureB2C].contains(profile)
        let usual = KeySetConfiguration(source: .jwkSetURL(""), issuer: "")
        let keySet = try #require(TestIssuers.outcome(profile).issuer?.keySets.first?.configuration)
        #expect(keySet.retention == (isEntra ? .seconds(24 * 3600) : .zero))
        #expect(keySet.unknownKeyIDInterval == (isEntra ? .seconds(60) : usual.unknownKeyIDInterval))
        #expect(keySet.unknownKeyIDBurst == (isEntra ? 3 : usual.unknownKeyIDBurst))
        #expect(keySet.refreshInterval == (isEntra ? .seconds(3600) : usual.refreshInterval))
        #expect(keySet.freshnessLimit == (isEntra ? .seconds(3600) : usual.freshnessLimit))
        // A load balancer's keys are fetched one by one.
        guard profile != .awsALB else { return #expect(keySet.documentLimit == 16 * 1024 && keySet.keyLimit == 32) }
        #expect(keySet.documentLimit == (isEntra ? 2 * 1024 * 1024 : usual.documentLimit))
        #expect(keySet.keyLimit == 200)
    }

    @Test func `a profile for many tenants allows many keys`() {
        let outcome = TestIssuers.outcome(.entraID, ["tenant": .text("common"), "any_tenant": .boolean(true)])
        #expect(outcome.issuer?.keySets.first?.configuration.keyLimit == 1000)
    }
}
