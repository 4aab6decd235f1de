import IssuerProfiles
import Testing

@Suite struct ForeignAudienceTests {
    @Test(arguments: [
        "https://graph.microsoft.com", "https://graph.microsoft.com/", "00000003-0000-0000-c000-000000000000",
        "00000003-0000-0000-C000-000000000000", "account", "https://kestrel.eu.auth0.com/userinfo",
        "https://kestrel.eu.auth0.com/userinfo?x=1", "https://api.example/v1/userinfo",
        "urn:logto:resource:organizations",
        "https://h7k2qd.logto.app/api",
    ])
    func `an audience that is never one's own is refused under every profile, with a hint`(_ audience: String) throws {
        for profile in IssuerProfile.allCases {
            let problem = try #require(profile.problem(withAudience: audience))
            #expect(problem.severity == .error)
            #expect(problem.hint != nil)
        }
    }

    @Test(arguments: [
        "https://shopping.your-app.com/api", "orders-api", "https://api.example/v1/userinfos", "https://logto.app.example/api",
        "urn:logto:organization:org_5f0c1", "accounts",
    ])
    func `an audience that only looks like one is accepted`(_ audience: String) {
        #expect(IssuerProfile.logto.problem(withAudience: audience) == nil)
        #expect(IssuerProfile.keycloak.problem(withAudience: audience) == nil)
    }

    @Test func `it is refused for issuers without a profile too, but for a name that they may use themselves`() {
        #expect(IssuerProfile.problem(withForeignAudience: "https://graph.microsoft.com")?.severity == .error)
        #expect(IssuerProfile.problem(withForeignAudience: "account") == nil)
        #expect(IssuerProfile.problem(withForeignAudience: "https://api.example") == nil)
    }

    @Test func `an audience that no version 2 token can have is warned of`() throws {
        for profile in [IssuerProfile.entraExternal, .azureB2C] {
            let problem = try #require(profile.problem(withAudience: "api://orders"))
            #expect(problem.severity == .warning)
            #expect(profile.problem(withAudience: "0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70") == nil)
        }
        // Version 1 tokens may name the API so.
        #expect(IssuerProfile.entraID.problem(withAudience: "api://orders") == nil)
    }
}
