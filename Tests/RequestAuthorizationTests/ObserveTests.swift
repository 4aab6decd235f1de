import AccessControl
import Callers
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import Quotas
import RequestAuthorization
import TestSupport
import Testing
import TokenIntrospection
import TokenVerification

/// Refusals that an observed rule suspends, and those that it does not.
@Suite struct ObserveTests {
    private static let end = NumericDate(seconds: TestToken.now + 100)
    private static let observe = EnforcementMode.observe(until: end)
    private static let subject = [FieldName("X-Subject")].compactMap { $0.map { IdentityField(.subject, name: $0) } }
    private static let expired = TestToken.good.with("exp", "1789990000")

    /// A resource in observe mode that would forward the token and an identity.
    private static func fixture(
        keys: KeySet? = TestKeys.set, canWait: Bool = false, ruleModes: IndexedBy<RuleIndex, EnforcementMode> = [],
        rules: [(String, AccessPolicy)] = AuthorizerFixture.rules, mode: EnforcementMode = observe,
        _ configure: (inout ProtectedResource) throws -> Void = { _ in }
    ) throws -> AuthorizerFixture {
        try AuthorizerFixture(
            rules: rules, identity: subject, keys: keys, canWait: canWait,
            configure: { shop in
                (shop.mode, shop.ruleModes, shop.keepsAuthorization) = (mode, ruleModes, true)
                try configure(&shop)
            })
    }

    /// Outcome of a request, or the reason of a refusal: `forwarded`, `would be expired`, `denied`.
    private static func text(_ outcome: AuthorizationOutcome) -> String {
        switch outcome {
        case .forward(_, let facts): facts.would.map { "would be \($0.label)" } ?? "forwarded"
        case .reject(let rejection, _): rejection.reason.label
        case .wait(let wait, _): "waits for \(wait.unavailableReason.label)"
        case .publish, .preflight: "something else"
        }
    }

    // MARK: Suspended

    static let suspended: [(line: String, fields: [String], label: String, status: Int)] = [
        ("GET /shop/me", [], "missing_credentials", 401),
        ("GET /shop/me", ["Authorization: Basic dTpw"], "missing_credentials", 401),
        ("GET /shop/me?access_token=x", [], "missing_credentials", 401),
        ("GET /shop/me", ["Authorization: Bearer opaque"], "opaque_not_supported", 401),
        ("GET /shop/me", [AuthorizerFixture.bearer(expired)], "expired", 401),
        (
            "GET /shop/me", ["Authorization: Bearer \(TestToken.good.signed(by: TestKeys.impostor))"], "bad_signature",
            401
        ),
        ("GET /shop/me", [AuthorizerFixture.bearer(.good.with("aud", #""else""#))], "audience_mismatch", 401),
        ("GET /shop/staff", [AuthorizerFixture.bearer()], "role_required", 403),
        ("POST /shop/orders", [AuthorizerFixture.bearer()], "insufficient_scope", 403),
        ("GET /shop/fresh", [AuthorizerFixture.bearer()], "authentication_too_old", 401),
        ("GET /shop/nothing", [AuthorizerFixture.bearer()], "no_rule", 403),
    ]

    @Test(arguments: suspended)
    func `a request refused for its caller is forwarded anonymously, without its token (T470)`(
        _ asked: (line: String, fields: [String], label: String, status: Int)
    ) throws {
        let request = try AuthorizerFixture.request(
            asked.line + " HTTP/1.1", fields: asked.fields + ["X-Subject: root"])
        guard case .forward(let forwarding, let facts) = try Self.fixture().outcome(request) else { throw Unexpected() }
        #expect(facts.would?.label == asked.label)
        #expect(facts.would?.status == asked.status)
        #expect(!forwarding.keepsAuthorization)
        #expect(forwarding.tokenField == nil)
        #expect(forwarding.identityFields.isEmpty)
        #expect(!facts.isAuthenticated)
        #expect(forwarding.spread == nil)
    }

    @Test func `missing keys suspend an observed rule too, after the usual wait`() throws {
        let request = try AuthorizerFixture.request("GET /shop/me HTTP/1.1", fields: [AuthorizerFixture.bearer()])
        #expect(Self.text(try Self.fixture(keys: nil).outcome(request)) == "would be keys_unavailable")
        let waiting = try Self.fixture(keys: nil, canWait: true)
        #expect(Self.text(waiting.outcome(request)) == "waits for keys_unavailable")
        var answered = request
        answered.answer = .keys(.unavailable(retryAfter: .seconds(1)))
        #expect(Self.text(waiting.outcome(answered)) == "would be keys_unavailable")
    }

    @Test func `an issuer that cannot introspect tokens suspends an observed rule as well`() throws {
        let fixture = try AuthorizerFixture(
            introspection: .init(), digestKey: TokenDigestKey(), configure: { $0.mode = Self.observe },
            issuer: { $0.opaqueTokens = OpaqueTokenRule(clients: ["app-1"]) })
        var request = try AuthorizerFixture.request(
            "GET /shop/me HTTP/1.1", fields: ["Authorization: Bearer kX2m9vTqLr8WbN5c"])
        #expect(Self.text(fixture.outcome(request)) == "waits for introspection_unavailable")
        request.answer = .introspection(.unavailable(retryAfter: .seconds(1)))
        #expect(Self.text(fixture.outcome(request)) == "would be introspection_unavailable")
    }

    @Test func `a permitted request under an observed rule is forwarded as usual, with its identity`() throws {
        let request = try AuthorizerFixture.request("GET /shop/me HTTP/1.1", fields: [AuthorizerFixture.bearer()])
        guard case .forward(let forwarding, let facts) = try Self.fixture().outcome(request) else { throw Unexpected() }
        #expect(facts.would == nil)
        #expect(facts.isAuthenticated)
        #expect(forwarding.keepsAuthorization)
        #expect(String(decoding: forwarding.identityFields, as: UTF8.self) == "X-Subject: user-1\r\n")
    }

    @Test func `a refused token in a header of its own is not forwarded either`() throws {
        let fixture = try Self.fixture { $0.tokenPlace = .field(TokenField(FieldName(fixed: "X-Token"))) }
        let token = Self.expired.signed(by: TestKeys.rsa)
        let request = try AuthorizerFixture.request(
            "GET /shop/me HTTP/1.1", fields: ["X-Token: \(token)", "Authorization: Bearer \(token)"])
        guard case .forward(let forwarding, let facts) = fixture.outcome(request) else { throw Unexpected() }
        #expect(facts.would == .token(.expired))
        #expect(forwarding.tokenField == nil)
        #expect(!forwarding.keepsAuthorization)
        let field = try #require(request.head.fields.first { request.head.string($0.name) == "X-Token" })
        #expect(fixture.authorizer.edits.removes(field, of: request.head))
    }

    // MARK: Never suspended

    static let refused: [(line: String, fields: [String], label: String)] = [
        ("GET /shop/me", ["Authorization: Bearer a b"], "malformed_credentials"),
        ("GET /shop/me", [AuthorizerFixture.bearer(), AuthorizerFixture.bearer()], "multiple_credentials"),
        ("GET /shop/me?access_token=x", [AuthorizerFixture.bearer()], "multiple_credentials"),
        ("GET /shop/../me", [], "bad_request"),
        ("GET /shop/a%2Fb", [], "bad_request"),
        ("GET /shop/me;v=1", [], "bad_request"),
        ("GET /elsewhere", [], "no_resource"),
        // The other resource enforces.
        ("GET /other/x", [], "missing_credentials"),
    ]

    @Test(arguments: refused)
    func `an invalid message or path is refused even in observe mode (T471)`(
        _ asked: (line: String, fields: [String], label: String)
    ) throws {
        let request = try AuthorizerFixture.request(asked.line + " HTTP/1.1", fields: asked.fields)
        #expect(Self.text(try Self.fixture().outcome(request)) == asked.label)
    }

    @Test func `a client over its limit of failed verifications is refused even in observe mode`() throws {
        var request = try AuthorizerFixture.request("GET /shop/me HTTP/1.1", fields: [AuthorizerFixture.bearer()])
        request.maySpendVerification = false
        let fixture = try Self.fixture()
        #expect(
            Self.text(fixture.authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))) == "rate_limited"
        )
    }

    /// Authorizer with a deny list, with or without a cache.
    private static func denying(_ cached: Bool, _ denied: [(DeniedAttribute, String)]) throws -> RequestAuthorizer {
        let list = DenyList(try #require(DenyDigests.process))
        var builder = DenyTable.Builder(list.digests)
        for (attribute, value) in denied {
            let isAdded = builder.add(
                DenyEntry(
                    issuer: "main", attribute, value, issuedBefore: nil,
                    expires: NumericDate(seconds: TestToken.now + 9)))
            #expect(isAdded)
        }
        list.replace(.api, by: builder.table(at: NumericDate(seconds: TestToken.now)))
        let resources = try fixture().authorizer
        return try RequestAuthorizer(
            resources: resources.resources, issuers: resources.issuers, digestKey: TokenDigestKey(),
            cache: cached ? VerifiedTokenCache(byteLimit: 1 << 20) : nil, denials: list)
    }

    @Test(arguments: [false, true])
    func `a token on the deny list is refused in observe mode, whatever else is wrong with it (T472)`(_ cached: Bool)
        throws
    {
        let authorizer = try Self.denying(cached, [(.subject, "user-1")])
        var request = try AuthorizerFixture.request()
        let now = NumericDate(seconds: TestToken.now)
        let other = TestToken.good.with("sub", #""user-2""#)
        let cases: [(String, TestToken, String)] = [
            ("me", .good, "denied"), ("staff", .good, "denied"),
            ("me", .good.with("aud", #""else""#), "denied"), ("me", Self.expired, "denied"),
            ("me", other, "forwarded"), ("staff", other, "would be role_required"),
            // Without a rule the token is not read.
            ("nothing", .good, "would be no_rule"),
        ]
        for (path, token, expected) in cases {
            // The second time a valid token is cached.
            for _ in 0..<2 {
                request.head = try AuthorizerFixture.request(
                    "GET /shop/\(path) HTTP/1.1", fields: [AuthorizerFixture.bearer(token)]
                ).head
                #expect(Self.text(authorizer.authorize(&request, at: now)) == expected, "\(path)")
            }
        }
        // The owner of the token is unknown.
        request.head = try AuthorizerFixture.request(
            "GET /shop/me HTTP/1.1", fields: ["Authorization: Bearer \(TestToken.good.signed(by: TestKeys.impostor))"]
        ).head
        #expect(
            Self.text(authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now)))
                == "would be bad_signature")
    }

    @Test(arguments: [false, true])
    func `a cached token that has expired and is denied is refused as denied`(_ cached: Bool) throws {
        let list = DenyList(try #require(DenyDigests.process))
        let resources = try Self.fixture { $0.mode = .observe(until: .latest) }.authorizer
        let authorizer = try RequestAuthorizer(
            resources: resources.resources, issuers: resources.issuers, digestKey: TokenDigestKey(),
            cache: cached ? VerifiedTokenCache(byteLimit: 1 << 20) : nil, denials: list)
        var request = try AuthorizerFixture.request("GET /shop/me HTTP/1.1", fields: [AuthorizerFixture.bearer()])
        #expect(Self.text(authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))) == "forwarded")
        let late = NumericDate(seconds: 1_790_003_600 + 61)
        #expect(Self.text(authorizer.authorize(&request, at: late)) == "would be expired")
        var builder = DenyTable.Builder(list.digests)
        let entry = DenyEntry(issuer: "main", .tokenID, "t-1", issuedBefore: nil, expires: late + .seconds(9))
        let isAdded = builder.add(entry)
        #expect(isAdded)
        list.replace(.api, by: builder.table(at: late))
        guard case .reject(let rejection, let facts) = authorizer.authorize(&request, at: late) else {
            throw Unexpected()
        }
        #expect(rejection.reason == .token(.denied))
        #expect(rejection.challenge?.error == .invalidToken)
        #expect(facts.would == nil)
    }

    // MARK: When

    @Test(arguments: [
        (99.0, "would be missing_credentials"), (99.999, "would be missing_credentials"),
        (100.0, "missing_credentials"),
    ])
    func `observe mode ends at the exact second (T473)`(_ time: (after: Double, text: String)) throws {
        let request = try AuthorizerFixture.request("GET /shop/me HTTP/1.1")
        #expect(Self.text(try Self.fixture().outcome(request, now: TestToken.now + time.after)) == time.text)
    }

    @Test func `a rule's own mode overrides that of its resource, in both directions`() throws {
        let rules: [(String, AccessPolicy)] = [("GET /a", .token([])), ("GET /b", .token([])), ("GET /c", .public)]
        func texts(_ fixture: AuthorizerFixture) throws -> [String] {
            try ["a", "b", "c", "d"].map { path in
                Self.text(fixture.outcome(try AuthorizerFixture.request("GET /shop/\(path) HTTP/1.1")))
            }
        }
        let strict = try Self.fixture(ruleModes: [.enforce, Self.observe, Self.observe], rules: rules)
        #expect(
            try texts(strict) == [
                "missing_credentials", "would be missing_credentials", "forwarded", "would be no_rule",
            ])
        let lax = try Self.fixture(ruleModes: [.enforce, Self.observe, .enforce], rules: rules, mode: .enforce)
        #expect(try texts(lax) == ["missing_credentials", "would be missing_credentials", "forwarded", "no_rule"])
        let now = NumericDate(seconds: TestToken.now)
        #expect(strict.authorizer.resources.map { $0.observedRules(at: now).count } == [1, 0])
        #expect(strict.authorizer.resources.map { $0.observedRules(at: Self.end).count } == [0, 0])
    }

    // MARK: Beside others

    @Test func `under an observed rule with optional tokens, a bad token makes the request anonymous`() throws {
        let fixture = try Self.fixture(rules: [("GET /me", .optionalToken([.allScopes(["write"])]))])
        func outcome(_ fields: [String]) throws -> String {
            Self.text(fixture.outcome(try AuthorizerFixture.request("GET /shop/me HTTP/1.1", fields: fields)))
        }
        #expect(try outcome([]) == "forwarded")
        #expect(try outcome([AuthorizerFixture.bearer()]) == "would be insufficient_scope")
        #expect(try outcome([AuthorizerFixture.bearer(Self.expired)]) == "would be expired")
    }

    @Test(arguments: suspended)
    func `at a door, an observed refusal is permitted even if the resource has no upstream`(
        _ asked: (line: String, fields: [String], label: String, status: Int)
    ) throws {
        let fixture = try Self.fixture { $0.upstreams = [] }
        var request = try AuthorizerFixture.request(asked.line + " HTTP/1.1", fields: asked.fields)
        // On a listener the resource does not exist, observed or not.
        #expect(Self.text(fixture.outcome(request)) == "no_resource")
        request.isAtDoor = true
        guard case .forward(let forwarding, let facts) = fixture.outcome(request) else { throw Unexpected() }
        #expect(facts.would?.label == asked.label)
        #expect(forwarding.upstream == nil)
        #expect(forwarding.identityFields.isEmpty)
        #expect(!facts.isAuthenticated)
    }

    @Test func `a path without an upstream is 404 at a door too, if the resource has upstreams`() throws {
        let fixture = try Self.fixture { $0.upstreamRoutes = try RouteTable([try RoutePattern("ANY /elsewhere/**")]) }
        var request = try AuthorizerFixture.request("GET /shop/me HTTP/1.1")
        #expect(Self.text(fixture.outcome(request)) == "no_resource")
        request.isAtDoor = true
        #expect(Self.text(fixture.outcome(request)) == "no_resource")
    }

    @Test func `an upstream that decodes slashes cannot be reached past an enforced rule (T474)`() throws {
        let rules: [(String, AccessPolicy)] = [("GET /a/{x}", .token([])), ("GET /a/{x}/{y}", .token([]))]
        func text(_ modes: IndexedBy<RuleIndex, EnforcementMode>) throws -> String {
            let fixture = try Self.fixture(ruleModes: modes, rules: rules) { $0.encodedSlashes = .keep }
            return Self.text(fixture.outcome(try AuthorizerFixture.request("GET /shop/a/b%2Fc HTTP/1.1")))
        }
        #expect(try text([Self.observe, Self.observe]) == "would be missing_credentials")
        #expect(try text([Self.observe, .enforce]) == "bad_request")
        #expect(try text([.enforce, Self.observe]) == "bad_request")
    }

    @Test func `a request without a rule is forwarded to the upstream of its path, if there is one`() throws {
        let fixture = try Self.fixture { shop in
            shop.upstreamRoutes = try RouteTable([try RoutePattern("ANY /a/**"), try RoutePattern("ANY /b/**")])
            (shop.upstreams, shop.stripsPrefix) = ([4, 7], true)
        }
        for (path, upstream) in [("a/x", 4), ("b", 7)] as [(String, UpstreamIndex)] {
            let forwarding = try #require(
                fixture.forwarding(try AuthorizerFixture.request("GET /shop/\(path) HTTP/1.1")))
            #expect(forwarding.upstream == upstream)
            #expect(forwarding.pathStart == "/shop".utf8.count)
            #expect(forwarding.strippedPrefix == Array("/shop".utf8))
        }
        #expect(Self.text(fixture.outcome(try AuthorizerFixture.request("GET /shop/c HTTP/1.1"))) == "no_resource")
    }

    @Test func `a preflight permits requests that would be forwarded without a rule`() throws {
        func methods(_ mode: EnforcementMode, origin: String) throws -> [String] {
            let fixture = try Self.fixture(mode: mode) { shop in
                shop.crossOrigin = CrossOriginPolicy(origins: .listed([try OriginPattern("https://app.example")]))
            }
            let request = try AuthorizerFixture.request(
                "OPTIONS /shop/nothing HTTP/1.1", fields: ["Origin: \(origin)", "Access-Control-Request-Method: PUT"])
            guard case .preflight(let answer, _) = fixture.outcome(request) else { throw Unexpected() }
            return answer.lines.filter { $0.lowercased().hasPrefix("access-control-allow-methods") }
        }
        #expect(try methods(Self.observe, origin: "https://app.example") == ["access-control-allow-methods: PUT"])
        #expect(try methods(Self.observe, origin: "https://else.example") == [])
        #expect(try methods(.enforce, origin: "https://app.example") == [])
    }

    @Test(arguments: [false, true])
    func `the client's address is charged under an observed rule and without one (T475)`(_ hasRule: Bool) throws {
        let quota = Quota(
            name: "per-user", by: .attribute(.subject), rate: QuotaRate(requests: 2, period: .seconds(60)))
        let counted = try Self.fixture { shop in
            shop.commonQuotas = [quota]
            shop.quotas = shop.routes.routes.mapped { _ in [quota] }
        }
        let authorizer = try RequestAuthorizer(
            resources: counted.authorizer.resources, issuers: counted.authorizer.issuers, digestKey: TokenDigestKey(),
            accounting: .local(QuotaTable(limit: 100)))
        func text(_ address: UInt64) throws -> String {
            var request = try AuthorizerFixture.request(
                "GET /shop/\(hasRule ? "staff" : "nothing") HTTP/1.1", fields: [AuthorizerFixture.bearer()])
            request.counting = RequestCounting(high: 0, low: address, now: 0)
            return Self.text(authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now)))
        }
        let would = hasRule ? "would be role_required" : "would be no_rule"
        #expect(try [1, 1, 1, 2].map { try text($0) } == [would, would, "quota_exceeded", would])
    }

    // MARK: Streams

    @Test func `streams allowed by observe mode end with it, unless the resource keeps streams`() throws {
        func end(_ configure: (inout ProtectedResource) -> Void = { _ in }) throws -> PermissionEnd? {
            let authorizer = try Self.fixture(configure).authorizer
            var request = try AuthorizerFixture.request(
                "GET /shop/staff HTTP/1.1", fields: [AuthorizerFixture.bearer()])
            guard case .forward(_, let facts) = authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
            else {
                throw Unexpected()
            }
            return authorizer.streamEnd(of: request, facts)
        }
        #expect(try end() == PermissionEnd(time: Self.end, reason: .policy(.roleRequired)))
        #expect(try end { $0.endsStreamsAtExpiry = false } == nil)
    }

    @Test(arguments: [false, true])
    func `a stream whose token is denied later ends, even under an observed rule`(_ cached: Bool) throws {
        let authorizer = try Self.denying(cached, [(.subject, "user-2")])
        for _ in 0..<2 {
            var request = try AuthorizerFixture.request(
                "GET /shop/staff HTTP/1.1", fields: [AuthorizerFixture.bearer()])
            guard case .forward(_, let facts) = authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
            else {
                throw Unexpected()
            }
            #expect(facts.would == .policy(.roleRequired))
            #expect(authorizer.denyMarks(of: request, facts) != nil)
        }
    }

    // MARK: Told

    @Test func `explain shows the step that would refuse, and why the request is forwarded anyway`() throws {
        var request = try AuthorizerFixture.request("GET /shop/staff HTTP/1.1", fields: [AuthorizerFixture.bearer()])
        let explanation = try Self.fixture().authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(explanation.status == 200)
        #expect(explanation.reason == nil)
        #expect(explanation.would == .policy(.roleRequired))
        #expect(explanation.steps.filter { $0.verdict == .failed }.map(\.name) == ["roles"])
        let last = try #require(explanation.steps.last)
        #expect(last.name == "mode")
        #expect(
            last.detail
                == "the rule is only observed until \(Self.end): forwarded without the token and without an identity")
        #expect(explanation.forwardedPath == "/shop/staff")
    }

    private struct Unexpected: Error {}
}
