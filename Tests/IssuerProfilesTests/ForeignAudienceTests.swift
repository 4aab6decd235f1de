import IssuerProfiles
import Testing
import TokenVerification

@Suite struct ForeignAudienceTests {
    @Test(arguments: [
        "https://graph.microsoft.com", "https://graph.microsoft.com/", "00000003-0000-0000-c000-000000000000",
        "00000003-0000-0000-C000-000000000000", "account", "https://kestrel.eu.auth0.com/userinfo",
        "https://kestrel.eu.auth0.com/userinfo?x=1", "https://api.example/v1/userinfo",
        "urn:logto:resource:organizations",
        "https://h7k2qd.logto.app/api",
    ])
    func `an audience that belongs to another API is refused under every profile, with a hint`(_ audience: String)
        throws
    {
        for profile in IssuerProfile.allCases {
            let problem = try #require(profile.problem(withAudience: audience))
            #expect(problem.severity == .error)
            #expect(problem.hint != nil)
        }
    }

    @Test(arguments: [
        "https://shopping.your-app.com/api", "orders-api", "https://api.example/v1/userinfos",
        "https://logto.app.example/api",
        "urn:logto:organization:org_5f0c1", "accounts",
    ])
    func `an audience that only resembles another API's is accepted`(_ audience: String) {
        #expect(IssuerProfile.logto.problem(withAudience: audience) == nil)
        #expect(IssuerProfile.keycloak.problem(withAudience: audience) == nil)
    }

    @Test func `another API's audience is refused without a profile too, except names that anyone may use`() {
        #expect(IssuerProfile.problem(withForeignAudience: "https://graph.microsoft.com")?.severity == .error)
        #expect(IssuerProfile.problem(withForeignAudience: "account") == nil)
        #expect(IssuerProfile.problem(withForeignAudience: "https://api.example") == nil)
    }

    @Test func `an audience that no version 2 token has causes a warning`() throws {
        for profile in [IssuerProfile.entraExternal, .azureB2C] {
            let problem = try #require(profile.problem(withAudience: "api://orders"))
            #expect(problem.severity == .warning)
            #expect(profile.problem(withAudience: "0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70") == nil)
        }
    }

    @Test func `the token versions of the issuer decide whether the audience must be a GUID`() throws {
        let profile = IssuerProfile.entraID
        let (one, two, both) = (["1"], ["2"], ["1", "2"])
        let problem = try #require(profile.problem(withAudience: "api://orders", of: try Self.trusted(versions: two)))
        #expect(problem.severity == .warning)
        #expect(problem.message.contains("is not a GUID"))
        #expect(profile.problem(withAudience: "api://orders", of: try TestIssuers.trusted(profile)) == problem)
        // Version 1 tokens may have this name of the API as audience.
        #expect(profile.problem(withAudience: "api://orders", of: try Self.trusted(versions: one)) == nil)
        #expect(profile.problem(withAudience: "api://orders", of: try Self.trusted(versions: both)) == nil)
        #expect(profile.problem(withAudience: "api://orders") == nil)
    }

    private static func trusted(versions: [String]) throws -> TrustedIssuer {
        try TestIssuers.trusted(.entraID, ["versions": .texts(versions)])
    }

    @Test(arguments: [IssuerProfile.entraExternal, .entraID, .azureB2C])
    func `a client id in upper case causes a warning with the spelling of tokens`(_ profile: IssuerProfile) throws {
        for issuer in [nil, try TestIssuers.trusted(profile)] {
            let problem = try #require(
                profile.problem(withAudience: "0D9E4C21-77b3-4f6a-8f12-3c5be0a94d70", of: issuer))
            #expect(problem.severity == .warning)
            #expect(problem.hint == "write `0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70`")
            #expect(profile.problem(withAudience: "0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70", of: issuer) == nil)
        }
        #expect(IssuerProfile.logto.problem(withAudience: "0D9E4C21-77b3-4f6a-8f12-3c5be0a94d70") == nil)
    }
}
