import AccessControl
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// Scope names that clients request: in challenges, metadata, `explain` and the log, and never in a decision.
@Suite struct ScopeNamesTests {
    typealias Fixture = AuthorizerFixture

    private static let long = "api://orders/{scope}"

    private static func accepted(_ issuer: IssuerIndex, _ template: String?) throws -> AcceptedIssuer {
        AcceptedIssuer(issuer: issuer, audiences: ["api"], scopeTemplate: try template.map { try ScopeTemplate($0) })
    }

    private static func fixture(_ template: String? = long, rules: [(String, AccessPolicy)] = Fixture.rules) throws
        -> Fixture
    {
        try Fixture(rules: rules) { $0.issuers = [try accepted(0, template)] }
    }

    // MARK: Challenges

    @Test func `a challenge without a token names scopes as clients request them`() throws {
        let challenge = try Self.fixture().rejection(try Fixture.request())?.challenge
        #expect(challenge?.scope == "api://orders/read")
    }

    @Test func `a challenge for a missing scope names scopes as clients request them, also for cached tokens`() throws {
        let weak = Fixture.bearer(TestToken.good.with("scope", #""none""#))
        let rejection = try Self.fixture().rejection(try Fixture.request("POST /shop/orders HTTP/1.1", fields: [weak]))
        #expect(rejection?.reason == .policy(.insufficientScope))
        #expect(rejection?.challenge?.scope == "api://orders/write api://orders/audit api://orders/eu")
    }

    @Test func `T531 a scope in the long form that clients request satisfies no requirement`() throws {
        let fixture = try Self.fixture()
        #expect(fixture.forwarding(try Fixture.request(fields: [Fixture.bearer()])) != nil)
        let long = Fixture.bearer(TestToken.good.with("scope", #""api://orders/read""#))
        #expect(fixture.rejection(try Fixture.request(fields: [long]))?.reason == .policy(.insufficientScope))
    }

    @Test func `an issuer's own scope template applies if the resource has none`() throws {
        let template = try #require(ScopeTemplate(prefix: "shop/"))
        let own = try Fixture(issuer: { $0.scopeTemplate = template })
        #expect(own.rejection(try Fixture.request())?.challenge?.scope == "shop/read")
        let both = try Fixture(
            configure: { $0.issuers = [try Self.accepted(0, Self.long)] }, issuer: { $0.scopeTemplate = template })
        #expect(both.rejection(try Fixture.request())?.challenge?.scope == "api://orders/read")
    }

    static let ofOpenIDConnect: [([String], String?)] = [
        (["openid", "read"], "openid api://orders/read"), (["read", "offline_access"], "api://orders/read"),
        (["offline_access"], nil),
        (["profile"], "profile"),
    ]

    @Test(arguments: ofOpenIDConnect)
    func `OpenID Connect scopes are never expanded, and offline_access is never named`(
        scopes: [String], expected: String?
    ) throws {
        let rules = [("GET /orders/**", AccessPolicy.requiring([.allScopes(scopes)]))]
        for template in [nil, Self.long] {
            let challenge = try #require(
                try Self.fixture(template, rules: rules).rejection(try Fixture.request())?.challenge)
            #expect(challenge.scope == (template == nil ? expected?.replacing("api://orders/", with: "") : expected))
        }
    }

    @Test func `a refusal for another reason names no scope`() throws {
        let stranger = Fixture.bearer(TestToken.good.with("aud", #""else""#))
        let rejection = try Self.fixture().rejection(try Fixture.request(fields: [stranger]))
        #expect(rejection?.reason == .token(.audienceMismatch))
        #expect(rejection?.challenge?.scope == nil)
    }

    // MARK: Several issuers

    /// Authorizer with the issuers `main` and `partner`, which have the same keys; each rule accepts tokens of both.
    private static func authorizer(
        _ templates: (String?, String?),
        rules: [(String, AccessPolicy)] = [("GET /orders/**", .requiring([.allScopes(["read"])]))],
        cached: Bool = false
    ) throws -> RequestAuthorizer {
        let fixture = try Fixture(rules: rules)
        var issuers = fixture.authorizer.issuers
        let main = try #require(issuers[0]).verifier.issuer
        let partner = TrustedIssuer(
            name: "partner", identifier: "https://partner.example", algorithms: main.algorithms,
            tokenType: main.tokenType)
        issuers.append(IssuerKeyStores(issuer: partner, stores: [fixture.store]))
        var resources = fixture.authorizer.resources
        let accepted = [try accepted(0, templates.0), try accepted(1, templates.1)]
        resources.update(0) { $0.issuers = accepted }
        return try RequestAuthorizer(
            resources: resources, issuers: issuers, digestKey: TokenDigestKey(),
            cache: cached ? VerifiedTokenCache(byteLimit: 1 << 20) : nil)
    }

    private static func scope(_ token: TestToken?, by authorizer: RequestAuthorizer) throws -> String? {
        var request = try Fixture.request(fields: token.map { [Fixture.bearer($0)] } ?? [])
        guard case .reject(let rejection, _) = authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        else { return nil }
        return rejection.challenge?.scope
    }

    private static let weak = TestToken.good.with("scope", #""none""#)

    @Test(arguments: [false, true])
    func `the template of the refused token's issuer applies, otherwise that of the first issuer`(cached: Bool) throws {
        let authorizer = try Self.authorizer(("api://main/{scope}", "api://partner/{scope}"), cached: cached)
        for _ in 0..<2 {
            #expect(try Self.scope(nil, by: authorizer) == "api://main/read")
            #expect(try Self.scope(Self.weak, by: authorizer) == "api://main/read")
            #expect(
                try Self.scope(Self.weak.with("iss", #""https://partner.example""#), by: authorizer)
                    == "api://partner/read")
        }
    }

    @Test func `without a token, the template of the first issuer that the rule accepts applies`() throws {
        let rules = [("GET /orders/**", AccessPolicy.requiring([.issuer(oneOf: ["partner"]), .allScopes(["read"])]))]
        let authorizer = try Self.authorizer(("api://main/{scope}", "api://partner/{scope}"), rules: rules)
        #expect(try Self.scope(nil, by: authorizer) == "api://partner/read")
        // A name that no issuer of the resource has changes nothing.
        let stranger = [("GET /orders/**", AccessPolicy.requiring([.issuer(oneOf: ["else"]), .allScopes(["read"])]))]
        #expect(
            try Self.scope(nil, by: try Self.authorizer(("api://main/{scope}", nil), rules: stranger))
                == "api://main/read")
    }

    @Test func `an issuer without a template has the scope names of its tokens`() throws {
        let authorizer = try Self.authorizer((nil, "api://partner/{scope}"))
        #expect(try Self.scope(nil, by: authorizer) == "read")
        #expect(
            try Self.scope(Self.weak.with("iss", #""https://partner.example""#), by: authorizer) == "api://partner/read"
        )
    }

    /// An unverified `iss` chooses nothing.
    @Test func `T531 an unverified token does not choose the template`() throws {
        let authorizer = try Self.authorizer(("api://main/{scope}", "api://partner/{scope}"))
        let forged = Self.weak.with("iss", #""https://partner.example""#).signed(by: TestKeys.impostor)
        var request = try Fixture.request(fields: ["Authorization: Bearer \(forged)"])
        guard case .reject(let rejection, _) = authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        else {
            Issue.record("forwarded")
            return
        }
        #expect(rejection.reason == .token(.badSignature))
        #expect(rejection.challenge?.scope == nil)
    }

    // MARK: Metadata

    private static func scopes(in authorizer: RequestAuthorizer) throws -> String? {
        var request = try Fixture.request("GET /.well-known/oauth-protected-resource/shop HTTP/1.1")
        guard case .publish(let document, _) = authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
        else { return nil }
        return String(decoding: document.bytes, as: UTF8.self).firstMatch(of: /"scopes_supported":(\[[^\]]*\])/).map {
            String($0.output.1)
        }
    }

    @Test func `the metadata lists the scope names of all issuers, each once`() throws {
        let policy = AccessPolicy.requiring([
            .allScopes(["read", "openid", "offline_access"]), .anyScope(["us", "read"]),
        ])
        let rules = [("GET /orders/**", policy)]
        let both = try Self.authorizer(("api://main/{scope}", "api://partner/{scope}"), rules: rules)
        #expect(
            try Self.scopes(in: both)
                == #"["api://main/read","openid","api://main/us","api://partner/read","api://partner/us"]"#)
        let one = try Self.authorizer((nil, nil), rules: rules)
        #expect(try Self.scopes(in: one) == #"["read","openid","us"]"#)
    }

    // MARK: What operators see

    private static func steps(_ fields: [String], by authorizer: RequestAuthorizer) throws -> [Explanation.Step] {
        var request = try Fixture.request(fields: fields)
        return authorizer.explain(&request, at: NumericDate(seconds: TestToken.now)).steps.filter {
            $0.name == "scopes"
        }
    }

    @Test func `explain shows both forms of scope names`() throws {
        let authorizer = try Self.fixture().authorizer
        let permitted = try Self.steps([Fixture.bearer()], by: authorizer)
        #expect(permitted.map(\.detail) == ["needs read; clients ask main for api://orders/read; the token has: read"])
        let missing = try Self.steps([], by: authorizer)
        #expect(missing.map(\.detail) == ["needs read; clients ask main for api://orders/read"])
        let plain = try Self.steps([Fixture.bearer()], by: try Self.fixture(nil).authorizer)
        #expect(plain.map(\.detail) == ["needs read; the token has: read"])
    }

    @Test func `explain shows the scope names of each issuer if no token chooses one`() throws {
        let authorizer = try Self.authorizer(("api://main/{scope}", "api://partner/{scope}"))
        let told = try Self.steps([], by: authorizer).map(\.detail)
        #expect(
            told == ["needs read; clients ask main for api://main/read; clients ask partner for api://partner/read"])
    }

    @Test func `the detail of a refusal shows both forms of scope names`() throws {
        let fixture = try Self.fixture()
        var request = try Fixture.request(fields: [Fixture.bearer(Self.weak)])
        let time = NumericDate(seconds: TestToken.now)
        guard case .reject(let rejection, let facts) = fixture.authorizer.authorize(&request, at: time) else {
            Issue.record("forwarded")
            return
        }
        let detail = fixture.authorizer.detail(of: rejection.reason, request, facts)
        #expect(detail == #"scopes are "none"; needed: read; clients ask main for api://orders/read"#)
    }
}
