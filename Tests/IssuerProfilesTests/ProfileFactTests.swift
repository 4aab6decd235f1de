import IssuerProfiles
import Testing
import TokenVerification

/// Claims that tokens of a system never have, so that a rule requiring them causes a warning.
@Suite struct ProfileFactTests {
    @Test(arguments: IssuerProfile.allCases)
    func `auth_time is assumed to be present, except for providers known to omit it`(
        _ profile: IssuerProfile
    ) throws {
        let issuer = try #require(TestIssuers.outcome(profile).issuer)
        #expect(
            issuer.hasAuthenticationTime == ![
                .logto, .zitadel, .hydra, .clerk, .googleIAP, .cloudflareAccess, .firebaseAppCheck, .awsALB,
                .gitHubActions, .gitLabCI, .kubernetes, .spiffe,
            ].contains(profile))
    }

    @Test(arguments: IssuerProfile.allCases)
    func `acr is assumed to be present, except for providers known to omit it`(
        _ profile: IssuerProfile
    ) throws {
        let issuer = try #require(TestIssuers.outcome(profile).issuer)
        #expect(
            issuer.hasContextClass == ![
                .logto, .firebase, .cognito, .clerk, .googleIAP, .cloudflareAccess, .firebaseAppCheck, .awsALB,
                .gitHubActions, .gitLabCI, .kubernetes, .spiffe,
            ].contains(profile))
    }

    @Test(arguments: IssuerProfile.allCases) func `scopes are shortened only by Microsoft's systems`(
        _ profile: IssuerProfile
    ) throws {
        let issuer = try #require(TestIssuers.outcome(profile).issuer)
        #expect(issuer.shortensScopes == [.entraExternal, .entraID, .azureB2C].contains(profile))
    }

    @Test(arguments: [
        (IssuerProfile.entraExternal, "api://"), (.entraID, "api://"),
        (.azureB2C, "https://rotkiefer.onmicrosoft.com/"),
    ])
    func `an API URI begins as the provider proposes it`(_ profile: IssuerProfile, prefix: String) throws {
        #expect(try #require(TestIssuers.outcome(profile).issuer).scopeURIPrefix == prefix)
    }

    @Test(arguments: IssuerProfile.allCases)
    func `only Cognito's resource server determines a scope template`(
        _ profile: IssuerProfile
    ) throws {
        #expect(try TestIssuers.trusted(profile).scopeTemplate == nil)
        let changed = try TestIssuers.trusted(profile, ["resource_server": .text("shop")])
        #expect(changed.scopeTemplate?.name(of: "orders.write") == (profile == .cognito ? "shop/orders.write" : nil))
    }

    @Test(arguments: IssuerProfile.allCases) func `only Keycloak has a hint on how to configure roles`(
        _ profile: IssuerProfile
    ) throws {
        let issuer = try #require(TestIssuers.outcome(profile).issuer)
        #expect((issuer.roleHint != nil) == (profile == .keycloak))
    }

    @Test(arguments: [
        ("file:///etc/keys.json", "write an https URL; a key set in a file is named by `jwks_file: PATH`"),
        ("https://a.example/{tenantid}/v2.0", "write your own value in place of `{tenantid}`"),
        ("https://<tenant>.example", "write your own value in place of `<tenant>`"),
        ("https://*.example", "write one host, without `*`: nothing here stands for many"),
        ("https://a.example/#keys", "write it without a fragment: `https://a.example/`"),
        ("a.example#keys", "write `https://host/path`, without a fragment"),
        ("}{", "write `https://host/path`, without a fragment"),
        ("", "write `https://host/path`, without a fragment"),
    ])
    func `a value that is no URL gets a hint for what was probably meant`(_ text: String, _ hint: String) {
        #expect(URLSlip(text).hint == hint)
    }
}
