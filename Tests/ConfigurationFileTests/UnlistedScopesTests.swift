import ConfigurationFile
import TestSupport
import Testing
import TokenVerification

/// Warnings about scopes that an issuer's metadata does not list.
struct UnlistedScopesTests {
    private static let generic = "issuer: https://id.example, token_type: at+jwt"

    /// Notes about a file with the issuers `a` and `b` and one resource.
    private func notes(
        _ listed: [IssuerIndex: [String]], issuer: String = generic, issuers: String = "[a]", rules: String,
        policies: String = "{}", audience: String = "https://api.example", askFor: String = "'{scope}'"
    ) throws -> [String] {
        let text = """
            issuers: {a: {\(issuer)}, b: {issuer: https://other.example, token_type: at+jwt}}
            policies: \(policies)
            resources:
              api: {at: /api, issuers: \(issuers), audiences: [\(audience)], ask_for: \(askFor), upstream: "http://127.0.0.1:9", rules: {\(rules)}}
            """
        return try ProfiledIssuerTests.load(text).unlistedScopes(listed).map { $0.rendered(file: "FILE") }
    }

    @Test func `a scope that the issuer does not list is reported at its rule, with the nearest listed one`() throws {
        let found = try notes(
            [0: ["openid", "orders:read", "orders:write"]], rules: "GET /: orders:read, POST /: orders:wirte")
        #expect(found.count == 1)
        let words =
            "note: resources.api.rules[\"POST /\"]: `orders:wirte` is not among the scopes that the issuer lists; "
            + "did you mean `orders:write`?"
        #expect(found.first?.hasSuffix(words) == true, "\(found)")
    }

    @Test func `an unlisted scope is reported once per resource, also for a named policy`() throws {
        let found = try notes(
            [0: ["orders:read"]],
            rules: "GET /a: {policy: writers}, GET /b: {any_of: [zzz, orders:read]}, GET /c: {all_of: [zzz]}",
            policies: "{writers: {all_of: [other]}}")
        #expect(
            found.map { $0.firstMatch(of: #/rules\["(.+)"\]: `(.+)` is not/#).map { "\($0.1) \($0.2)" } } == [
                "GET /a other", "GET /b zzz",
            ])
        #expect(found.allSatisfy { $0.hasSuffix("is not among the scopes that the issuer lists") })
    }

    @Test(arguments: [
        ["openid", "profile", "email", "address", "phone", "offline_access"], [],
        ["openid", "urn:logto:scope:organizations", "custom_data"],
        ["openid", "profile", "name", "given_name", "nickname", "email_verified", "created_at", "identities"],
    ])
    func `a list with scopes for sign-in only causes no report`(listed: [String]) throws {
        #expect(try notes([0: listed], rules: "GET /: orders:read") == [])
    }

    @Test func `no scope is reported if the issuer's list is unknown`() throws {
        #expect(try notes([:], rules: "GET /: orders:read") == [])
        #expect(try notes([1: ["other"]], rules: "GET /: orders:read") == [])
    }

    @Test func `a scope that another issuer of the resource lists is not reported`() throws {
        let both = "[a, b]"
        #expect(try notes([0: ["x"]], issuers: both, rules: "GET /: orders") == [])
        #expect(try notes([0: ["x"], 1: ["orders"]], issuers: both, rules: "GET /: orders") == [])
        let found = try notes([0: ["x"], 1: ["order"]], issuers: both, rules: "GET /: orders")
        #expect(
            found.first?.hasSuffix("`orders` is not among the scopes that the issuers list; did you mean `order`?")
                == true, "\(found)")
    }

    @Test func `a full scope name in the list matches the short name in tokens`() throws {
        let listed = ["https://api.example/orders.read", "api://x/orders.write"]
        #expect(try notes([0: listed], rules: "GET /: orders.read, POST /: orders.write").isEmpty)
        let pool =
            "profile: cognito, user_pool_id: eu-north-1_Ab12Cd34E, client_ids: [3n4b5urk1ft4fl3mg5e62d9ado], resource_server: orders-api"
        #expect(try notes([0: ["orders-api/read"]], issuer: pool, rules: "GET /: read", audience: "orders-api") == [])
    }

    @Test func `a listed scope is recognised through the file's scope template`() throws {
        #expect(try notes([0: ["urn:x:read"]], rules: "GET /: read").count == 1)
        #expect(try notes([0: ["urn:x:read"]], rules: "GET /: read", askFor: "'urn:x:{scope}'") == [])
        #expect(try notes([0: ["urn:y:read"]], rules: "GET /: read", askFor: "'urn:x:{scope}'").count == 1)
    }

    @Test func `scopes are not checked against the list if they may come from another claim`() throws {
        let issuer = Self.generic + ", scope_claims: [scope, permissions]"
        #expect(try notes([0: ["x"]], issuer: issuer, rules: "GET /: orders") == [])
    }

    @Test func `a scope is compared with the list byte for byte`() throws {
        let found = try notes([0: ["Orders"]], rules: "GET /: orders")
        #expect(found.first?.hasSuffix("did you mean `Orders`?") == true, "\(found)")
    }
}
