import AccessControl
import Foundation
import KeySets
import NetworkNames
import RequestAuthorization
import TestSupport
import Testing
import TokenIntrospection
import TokenVerification

@testable import ConfigurationFile

/// Issuers that a file configures by profiles.
struct ProfiledIssuerTests {
    static let text = """
        issuers:
          logto:
            profile: logto
            endpoint: https://auth.example.com
            leeway: 30s
            max_lifetime: 24h
            allow_missing_kid: true
            denied_keys: [old]
            clients: [app]
            ca_file: ca.pem
          staff:
            profile: entra-id
            tenant: 7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755
            versions: [1, 2]
            jwks_uri: {v1: https://keys.example.com/1, v2: https://keys.example.com/2}
          customers:
            profile: azure-b2c
            tenant_name: rotkiefer
            tenant_id: c19e5f08-43a7-4d96-b20c-fa6817d3e592
            policies: [B2C_1_susi, B2C_1A_signup]
            jwks_file: {b2c_1a_signup: ./keys.json, B2C_1_susi: other.json}
          app: {profile: firebase, project_id: kestrel-demo-4411}
          pool: {profile: cognito, user_pool_id: eu-north-1_Ab12Cd34E, client_ids: [57cb]}
        resources:
          https://shopping.your-app.com/api:
            issuers: [logto, app, pool]
            upstream: http://127.0.0.1:9000
            metadata: none
            rules: {ANY /**: authenticated}
          orders:
            at: /orders
            audiences: {pool: [orders], staff: [3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3], customers: [6e70b3c5-d812-4f49-a3e6-910f5c8b27d4]}
            issuers: [staff, customers, pool, app]
            upstream: http://127.0.0.1:9000
            rules: {ANY /**: authenticated}
        limits: {waiting_for_keys: 7}
        """

    static func load(_ text: String = text, directory: String = ProblemCase.directory) throws -> Configuration {
        let result = Configuration.load(text: text, directory: directory, environment: [:])
        #expect(result.problems.filter { $0.severity == .error } == [])
        guard case .success(let configuration, _) = result else { throw ConfigurationTests.Refused() }
        return configuration
    }

    @Test func `issuers are in file order, with the names of the file`() throws {
        #expect(try Self.load().issuers.map(\.trusted.name) == ["logto", "staff", "customers", "app", "pool"])
    }

    @Test func `common issuer keys are added to the settings of the profile`() throws {
        let logto = try #require(try Self.load().issuers.first)
        #expect(logto.trusted.identifiers.map(\.exactText) == ["https://auth.example.com/oidc"])
        #expect(logto.trusted.leeway == .seconds(30))
        #expect(logto.trusted.maxLifetime == .seconds(86_400))
        #expect(logto.trusted.allowsMissingKeyID)
        #expect(logto.trusted.deniedKeys == ["old"])
        #expect(logto.trusted.clients == ["app"])
        #expect(logto.trusted.opaqueTokens == nil)
        #expect(logto.introspection == nil)
    }

    @Test func `an issuer's required claims are checked after the requirements of its profile`() throws {
        let text = """
            issuers:
              logto: {profile: logto, endpoint: https://auth.example.com, allow_m2m: false, require: {claims: {plan: [gold, 7], a.b: yes}}}
              generic: {issuer: https://id.example, token_type: any, require: {claims: {plan: gold}}}
            resources: {r: {at: /, issuers: [logto, generic], upstream: 'http://127.0.0.1:9000', rules: {ANY /**: authenticated}}}
            """
        let issuers = try Self.load(text).issuers.map(\.trusted)
        let plan = ClaimPath(member: "plan")
        #expect(
            issuers.first?.claimChecks.suffix(2) == [
                IssuerCheck(.oneOf(plan, [.string("gold"), .integer(7)]), else: .claimNotAllowed),
                IssuerCheck(.oneOf(try ClaimPath("a.b"), [.string("yes")]), else: .claimNotAllowed),
            ])
        #expect(issuers.first?.claimChecks.first?.rejection == .clientNotAllowed)
        #expect(issuers.last?.claimChecks == [IssuerCheck(.oneOf(plan, [.string("gold")]), else: .claimNotAllowed)])
    }

    @Test func `settings that are not in the file stay as the profile has them`() throws {
        let app = try #require(try Self.load().issuers.first { $0.trusted.name == "app" })
        #expect(app.trusted.leeway == .seconds(60))
        #expect(app.trusted.maxLifetime == nil)
        #expect(!app.trusted.allowsMissingKeyID)
        #expect(app.trusted.deniedKeys == [])
    }

    @Test func `connection settings of the file apply to a profile's key sets`() throws {
        let configuration = try Self.load()
        let logto = try #require(configuration.issuers.first?.keySets.first)
        #expect(logto.source == .jwkSetURL("https://auth.example.com/oidc/jwks"))
        #expect(logto.caFile == ProblemCase.directory + "/ca.pem")
        #expect(configuration.issuers.flatMap(\.keySets).allSatisfy { $0.waitingLimit == 7 && !$0.allowsPlainHTTP })
        #expect(configuration.issuers.map(\.keySets.count) == [1, 2, 2, 1, 1])
    }

    @Test func `jwks_uri addresses replace those of the named key sets, whatever their order`() throws {
        let issuers = try Self.load().issuers
        let staff = try #require(issuers.first { $0.trusted.name == "staff" })
        let versions = staff.trusted.identifiers.map { ($0.exactText ?? "", staff.keySets[$0.keySet]?.source) }
        #expect(
            versions.contains {
                $0 == (
                    "https://sts.windows.net/7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755/",
                    .jwkSetURL("https://keys.example.com/1")
                )
            })
        #expect(versions.contains { $0.0.hasSuffix("/v2.0") && $0.1 == .jwkSetURL("https://keys.example.com/2") })
        let customers = try #require(issuers.first { $0.trusted.name == "customers" })
        #expect(
            customers.keySets.map(\.source)
                == ["other", "keys"].map { .file(path: "\(ProblemCase.directory)/\($0).json") })
        guard case .policy(let rule) = customers.trusted.keyBinding else { throw ConfigurationTests.Refused() }
        #expect(rule.policies == ["b2c_1_susi", "b2c_1a_signup"])
    }

    @Test func `a replaced jwks_uri changes only the source of a key set`() throws {
        let text = Self.text.replacing(
            "            jwks_uri: {v1: https://keys.example.com/1, v2: https://keys.example.com/2}\n", with: "")
        let staff = try #require(try Self.load().issuers.first { $0.trusted.name == "staff" }?.keySets.first)
        var own = try #require(try Self.load(text).issuers.first { $0.trusted.name == "staff" }?.keySets.first)
        own.source = staff.source
        #expect(staff == own)
        #expect(staff.retention == .seconds(86_400))
    }

    @Test func `audiences are the resource's, or those that the profile knows`() throws {
        let resources = try Self.load().protectedResources
        let identifier = "https://shopping.your-app.com/api"
        #expect(resources.first?.issuers.map(\.audiences) == [[identifier], ["kestrel-demo-4411"], [identifier]])
        let orders = [
            ["3a6b8d94-f017-4e2c-9a5b-81d2c70e46f3"], ["6e70b3c5-d812-4f49-a3e6-910f5c8b27d4"], ["orders"],
            ["kestrel-demo-4411"],
        ]
        #expect(resources.last?.issuers.map(\.audiences) == orders)
    }

    @Test func `a resource publishes metadata unless the file says none`() throws {
        #expect(try Self.load().protectedResources.map(\.publishesMetadata) == [false, true])
    }

    @Test(arguments: [
        ("", "https://auth.example.com/oidc/token/introspection", nil),
        (", endpoint: https://a.example/i", "https://a.example/i", nil),
        (", cache: 0s", "https://auth.example.com/oidc/token/introspection", 0),
        (", cache: 1h", "https://auth.example.com/oidc/token/introspection", 3600),
    ])
    func `opaque tokens are introspected as the file says`(_ written: String, _ endpoint: String, _ cacheSeconds: Int?)
        throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try folder.write("xyzzy", to: "secret")
        let text = """
            issuers:
              logto:
                profile: logto
                endpoint: https://auth.example.com
                opaque: {introspect: {client_id: q8d2, client_secret_file: ./secret, clients: [a, b]\(written)}}
            resources:
              https://a.example: {issuers: logto, upstream: "http://127.0.0.1:9", rules: {GET /: authenticated}}
            """
        let logto = try #require(try Self.load(text, directory: folder.url.path).issuers.first)
        #expect(logto.trusted.opaqueTokens == OpaqueTokenRule(clients: ["a", "b"]))
        let expected = ConfiguredIntrospection(
            clientID: "q8d2", clientSecretFile: folder.path("secret"),
            endpoint: .configured(try #require(HTTPURL(endpoint))),
            cacheLimit: .seconds(cacheSeconds ?? 60))
        #expect(logto.introspection == expected)
    }
}
