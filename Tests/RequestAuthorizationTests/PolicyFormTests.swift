import AccessControl
import Callers
import HTTPMessages
import TestSupport
import Testing
import TokenVerification

@testable import RequestAuthorization

/// The tables of `docs/policy.md`. Each request is judged three times: without a cache, and with one before and after
/// its token is cached.
@Suite struct PolicyFormTests {
    typealias Fixture = AuthorizerFixture

    private static func path(_ text: String) -> ClaimPath { (try? ClaimPath(text)) ?? ClaimPath(member: "missing") }

    /// Reason of the refusal, with the scope of the challenge. Nil if the request is forwarded.
    private func refusal(_ policy: AccessPolicy, _ fields: [String], line: String = "GET /shop/x/o1 HTTP/1.1") throws
        -> String?
    {
        let fixture = try Fixture(rules: [("GET /x/{org}", policy)]) { _ in
        } issuer: {
            $0.organizationUse = .onlyWhereAsked
        }
        switch fixture.outcome(try Fixture.request(line, fields: fields)) {
        case .forward: return nil
        case .reject(let rejection, _):
            let challenge = rejection.challenge
            let asked = [challenge?.scope, challenge?.acrValues, challenge?.maxAge.map { "\($0)" }].compactMap(\.self)
            return ([rejection.reason.label] + asked).joined(separator: " ")
        default: return "neither"
        }
    }

    private func refusal(_ requirements: [Requirement], _ claims: [(String, String?)]) throws -> String? {
        let token = claims.reduce(TestToken.good) { $0.with($1.0, $1.1) }
        return try refusal(.requiring(requirements), [Fixture.bearer(token)])
    }

    // MARK: Absent

    @Test(
        arguments: [
            ([], nil), ([("act", "{}")], nil), ([("act", #"{"sub": "x"}"#)], "claim_required"),
            ([("act", #"{"sub": null}"#)], nil), ([("act", #"{"sub": null, "x": 1}"#), ("act.sub", "null")], nil),
            // A claim that may be meant too, or that may hide it, is not absent.
            ([("act.sub", #""x""#)], "claim_required"), ([("act", #"[{"sub": "x"}]"#)], "claim_required"),
            ([("act", #""x""#)], "claim_required"), ([("act", "null")], nil),
        ] as [([(String, String?)], String?)])
    func `an absent requirement holds if no reading of the path finds a claim`(
        claims: [(String, String?)], refusal: String?
    ) throws {
        #expect(try self.refusal([.noClaims([Self.path("act.sub")])], claims) == refusal)
    }

    // MARK: Alternatives

    private static let alternatives = Requirement.anyOf([
        [.allScopes(["write"]), .maxAge(.seconds(300))], [.anyRole(["admin"])],
        [.client(oneOf: ["job"]), .allScopes(["batch"])],
    ])

    @Test(
        arguments: [
            ([("scope", #""write""#), ("auth_time", "1790000500")], nil), ([("roles", #""admin""#)], nil),
            ([("client_id", #""job""#), ("scope", #""batch""#)], nil),
            ([("client_id", #""job""#)], "insufficient_scope write"),
            ([("scope", #""write batch""#)], "authentication_too_old 300"),
            ([("scope", #""batch""#)], "insufficient_scope write"),
            ([("roles", #""user""#)], "insufficient_scope write"),
        ] as [([(String, String?)], String?)])
    func `one complete alternative suffices, and a challenge asks for the first`(
        claims: [(String, String?)], refusal: String?
    )
        throws
    {
        #expect(try self.refusal([Self.alternatives], claims) == refusal)
    }

    @Test func `a challenge asks for nothing from alternatives that the token satisfies`() throws {
        let alternatives = Requirement.anyOf([[.authenticationContext(oneOf: ["gold"])], [.anyRole(["admin"])]])
        let asked = [alternatives, .maxAge(.seconds(300))]
        #expect(try refusal(asked, [("roles", #""admin""#)]) == "authentication_too_old 300")
        #expect(try refusal(asked, []) == "authentication_too_weak gold 300")
    }

    @Test func `a new sign-in is requested only if nothing else is missing, also within alternatives`() throws {
        let both = [Self.alternatives, .claim(Self.path("department"), oneOf: [.string("sales")])]
        #expect(try refusal(both, [("scope", #""write""#)]) == "claim_required")
        #expect(
            try refusal(both, [("scope", #""write""#), ("department", #""sales""#)]) == "authentication_too_old 300")
    }

    /// Roles within an organization say nothing about roles outside it.
    @Test(
        arguments: [
            ([("organization_id", #""o1""#)], nil), ([("roles", #""admin""#)], nil),
            ([("organization_id", #""o2""#), ("roles", #""admin""#)], "organization_mismatch"),
            ([("organization_id", #""o1""#), ("roles", #""admin""#)], nil), ([], "organization_mismatch"),
        ] as [([(String, String?)], String?)])
    func `a token for an organization satisfies no alternative without an organization`(
        claims: [(String, String?)], refusal: String?
    ) throws {
        let rule = Requirement.anyOf([[.organization(inPath: "org")], [.anyRole(["admin"])]])
        #expect(try self.refusal([rule], claims) == refusal)
    }

    @Test func `an organization in one of two lists of alternatives suffices`() throws {
        let rules: [Requirement] = [
            .anyOf([[.allScopes(["read"])], [.anyRole(["x"])]]),
            .anyOf([[.organization(oneOf: ["o1"])], [.client(oneOf: ["app-1"])]]),
        ]
        #expect(try refusal(rules, [("organization_id", #""o1""#)]) == nil)
        #expect(try refusal(rules, [("organization_id", #""o2""#)]) == "organization_mismatch")
        let without = Requirement.anyOf([[.allScopes(["read"])], [.anyRole(["x"])]])
        #expect(try refusal([without], [("organization_id", #""o1""#)]) == "organization_mismatch")
    }

    // MARK: Claims

    @Test(
        arguments: [
            (#""acme/site""#, true), (#"["x","acme/site"]"#, true), (#"["x"]"#, false), (#""acme/a/b""#, false),
            (#""acme/""#, false),
            (#""Acme/site""#, false), ("7", false), ("null", false), (#"{"acme/site":1}"#, false),
            (nil, false), (#"[["acme/site"]]"#, false),
        ] as [(String?, Bool)])
    func `a pattern matches only strings`(value: String?, holds: Bool) throws {
        let choice = ClaimChoice(values: [.integer(8)], patterns: [try ClaimPattern("acme/*")])
        let asked = [Requirement.claimMatching(Self.path("repository"), choice)]
        #expect(try refusal(asked, [("repository", value)]) == (holds ? nil : "claim_required"))
        #expect(try refusal(asked, [("repository", "8")]) == nil)
    }

    @Test(
        arguments: [
            (#""member""#, true), (#"["member","staff"]"#, true), ("[]", true), (#""guest""#, false),
            (#"["member","guest"]"#, false),
            (#""temp/7""#, false), (#""Guest""#, true), ("7", false), ("true", false), (#"["member",7]"#, false),
            ("null", false),
            (#"["member",null]"#, false), (#"{"guest":true}"#, false), (#"[["member"]]"#, false), (nil, false),
        ] as [(String?, Bool)])
    func `a not requirement holds if the claim is present, comparable and different`(value: String?, holds: Bool) throws
    {
        let choice = ClaimChoice(values: [.string("guest")], patterns: [try ClaimPattern("temp/*")])
        #expect(
            try refusal([.claimOtherThan(Self.path("type"), choice)], [("type", value)])
                == (holds ? nil : "claim_required"))
    }

    @Test(arguments: [
        ("4", true), ("4.5", true), ("3", false), ("3.0", false), ("[4,3]", false), (#""4""#, false), ("true", false),
        ("9223372036854775808", true), ("-0", true),
    ])
    func `a not requirement compares numbers with numbers`(value: String, holds: Bool) throws {
        let rule = Requirement.claimOtherThan(Self.path("level"), ClaimChoice(values: [.integer(3)]))
        #expect(try refusal([rule], [("level", value)]) == (holds ? nil : "claim_required"))
    }

    @Test(
        arguments: [
            (#""member""#, "claim_required", nil), (#""guest""#, "claim_required", "claim_required"), (nil, nil, nil),
            ("null", nil, nil),
        ] as [(String?, String?, String?)])
    func `absent holds without the claim, and absent or not also with a different value`(
        value: String?, absent: String?, either: String?
    )
        throws
    {
        let missing = Requirement.noClaims([Self.path("type"), Self.path("act.sub")])
        let other = Requirement.claimOtherThan(Self.path("type"), ClaimChoice(values: [.string("guest")]))
        #expect(try refusal([missing], [("type", value)]) == absent)
        #expect(try refusal([.anyOf([[missing], [other]])], [("type", value)]) == either)
        #expect(try refusal([missing], [("act", #"{"sub":"x"}"#)]) == "claim_required")
    }

    @Test func `a requirement for an issuer holds only for its tokens`() throws {
        #expect(try refusal([.issuer(oneOf: ["partner", "main"])], []) == nil)
        #expect(try refusal([.issuer(oneOf: ["partner"]), .allScopes(["x"])], []) == "issuer_required")
        #expect(
            try refusal(
                [.anyOf([[.issuer(oneOf: ["partner"])], [.issuer(oneOf: ["main"]), .allScopes(["read"])]])], []) == nil)
    }

    // MARK: Scopes that imply others

    @Test func `an implied scope is accepted, but neither requested nor forwarded`() throws {
        let hierarchy = try ScopeHierarchy([("write", ["read"])])
        let policy = hierarchy.applied(to: .requiring([.allScopes(["read", "audit"])]))
        #expect(try refusal(policy, [Fixture.bearer(.good.with("scope", #""write audit""#))]) == nil)
        #expect(
            try refusal(policy, [Fixture.bearer(.good.with("scope", #""audit""#))]) == "insufficient_scope read audit")
        let identity = try #require(FieldName("X-Scopes"))
        let fixture = try Fixture(rules: [("GET /x", policy)], identity: [IdentityField(.scopes, name: identity)])
        let forwarding = fixture.forwarding(
            try Fixture.request(
                "GET /shop/x HTTP/1.1", fields: [Fixture.bearer(.good.with("scope", #""write audit""#))]))
        #expect(forwarding.map { String(decoding: $0.identityFields, as: UTF8.self) } == "X-Scopes: write audit\r\n")
    }

    // MARK: Optional tokens

    private static let optional = AccessPolicy.requiring([.allScopes(["read"])]).madeOptional

    @Test(
        arguments: [
            ([], nil), (["X-Other: 1"], nil), (["Authorization: Basic dTpw"], "missing_credentials read"),
            (["Authorization:"], "missing_credentials read"), (["Authorization: Bearer"], "malformed_credentials"),
            ([Fixture.bearer(), Fixture.bearer()], "multiple_credentials"),
            ([Fixture.bearer(.good.with("exp", "1789990000"))], "expired"),
            (["Authorization: Bearer \(TestToken.good.signed(by: TestKeys.impostor))"], "bad_signature"),
            (["Authorization: Bearer opaque"], "opaque_not_supported"),
            ([Fixture.bearer(.good.with("scope", #""other""#))], "insufficient_scope read"), ([Fixture.bearer()], nil),
        ] as [([String], String?)])
    func `only a request without any credentials is anonymous`(fields: [String], refusal: String?) throws {
        #expect(try self.refusal(Self.optional, fields) == refusal)
    }

    @Test func `a request with a token in the query is not anonymous`() throws {
        for query in [
            "access_token=x", "a=b&access_token=x", "%61ccess_token=x", "Access_Token=x", "a&ACCESS%5FTOKE%6E=x",
        ] {
            #expect(
                try refusal(Self.optional, [], line: "GET /shop/x/o1?\(query) HTTP/1.1") == "missing_credentials read",
                "\(query)")
        }
        #expect(try refusal(Self.optional, [], line: "GET /shop/x/o1?a=access_token HTTP/1.1") == nil)
    }

    @Test func `an anonymous request has no identity, and a good token has its own`() throws {
        let name = try #require(FieldName("X-Subject"))
        let fixture = try Fixture(rules: [("GET /x", Self.optional)], identity: [IdentityField(.subject, name: name)]) {
            $0.keepsAuthorization = true
        }
        let anonymous = try #require(fixture.permission(try Fixture.request("GET /shop/x HTTP/1.1")))
        #expect(anonymous.forwarding.identityFields.isEmpty)
        #expect(!anonymous.forwarding.keepsAuthorization)
        #expect(!anonymous.facts.isAuthenticated)
        #expect(anonymous.facts.issuer == nil)
        let known = try #require(
            fixture.permission(try Fixture.request("GET /shop/x HTTP/1.1", fields: [Fixture.bearer()])))
        #expect(String(decoding: known.forwarding.identityFields, as: UTF8.self) == "X-Subject: user-1\r\n")
        #expect(known.forwarding.keepsAuthorization && known.facts.isAuthenticated)
    }

    @Test func `requirements of a resource apply to tokens, not to anonymous requests`() throws {
        let policy = Self.optional.adding([.client(oneOf: ["back-office"])])
        #expect(try refusal(policy, []) == nil)
        #expect(try refusal(policy, [Fixture.bearer()]) == "client_required")
        #expect(try refusal(policy, [Fixture.bearer(.good.with("client_id", #""back-office""#))]) == nil)
    }

    // MARK: Encoded slashes

    /// An organization within alternatives is compared with the path too.
    @Test func `a parameter in the path is checked in both readings, also within alternatives`() throws {
        let policy = AccessPolicy.requiring([.anyOf([[.organization(inPath: "org")], [.anyRole(["admin"])]])])
        let fixture = try Fixture(rules: [("GET /x/{org}", policy), ("GET /x/{org}/**", policy)]) {
            $0.encodedSlashes = .keep
        }
        let token = Fixture.bearer(.good.with("organization_id", #""o1/b""#))
        let rejection = fixture.rejection(try Fixture.request("GET /shop/x/o1%2Fb HTTP/1.1", fields: [token]))
        #expect(rejection?.reason == .message(.badRequest))
    }
}
