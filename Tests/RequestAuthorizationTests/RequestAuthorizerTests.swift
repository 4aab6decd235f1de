import AccessControl
import Callers
import HTTPMessages
import KeySets
import TestSupport
import Testing
import TokenVerification

@testable import RequestAuthorization

@Suite struct RequestAuthorizerTests {
    typealias Fixture = AuthorizerFixture

    @Test func `a token refused for its claims still identifies its subject, and a forged one does not`() throws {
        let elsewhere = TestToken.good.with("aud", #""else""#)
        guard
            case .reject(_, let facts) = try Fixture().outcome(try Fixture.request(fields: [Fixture.bearer(elsewhere)]))
        else {
            throw TokenRejection.malformed
        }
        #expect([facts.subject, facts.clientID, facts.tokenID] == ["user-1", "app-1", "t-1"])
        let forged = "Authorization: Bearer \(TestToken.good.signed(by: TestKeys.impostor))"
        guard case .reject(let rejection, let nothing) = try Fixture().outcome(try Fixture.request(fields: [forged]))
        else {
            throw TokenRejection.malformed
        }
        #expect(rejection.reason == .token(.badSignature))
        #expect([nothing.subject, nothing.clientID, nothing.tokenID] == [nil, nil, nil])
    }

    @Test func `a token header is cached only with a good signature`() throws {
        let fixture = try Fixture()
        let forged = "Authorization: Bearer \(TestToken.good.signed(by: TestKeys.impostor))"
        #expect(fixture.rejection(try Fixture.request(fields: [forged]))?.reason == .token(.badSignature))
        let otherType = Fixture.bearer(.good.withHeader("typ", #""JWT""#))
        #expect(fixture.rejection(try Fixture.request(fields: [otherType]))?.reason == .token(.typeMismatch))
        #expect(fixture.authorizer.knownHeaders.count == 0)
        #expect(fixture.forwarding(try Fixture.request(fields: [Fixture.bearer()])) != nil)
        #expect(fixture.authorizer.knownHeaders.count == 1)
        // Afterwards a forged token with that header is refused as before, and a good one is accepted.
        #expect(fixture.rejection(try Fixture.request(fields: [forged]))?.reason == .token(.badSignature))
        #expect(fixture.forwarding(try Fixture.request(fields: [Fixture.bearer(.good.with("jti", #""t-2""#))])) != nil)
    }

    // MARK: Place and rule

    @Test(arguments: [
        ("GET /shop/orders HTTP/1.1", "api.example", RejectionReason.credentials(.missing)),
        ("GET /shop/orders HTTP/1.1", "elsewhere.example", .credentials(.missing)),
        ("GET /shopX HTTP/1.1", "api.example", .routing(.noResource)),
        ("GET /Shop/orders HTTP/1.1", "api.example", .routing(.noResource)),
        ("GET /shop/nothing HTTP/1.1", "api.example", .routing(.noRule)),
        ("DELETE /shop/orders HTTP/1.1", "api.example", .routing(.noRule)),
        ("GET /shop/orders/../admin HTTP/1.1", "api.example", .message(.badRequest)),
        ("GET /shop/orders%2Fadmin HTTP/1.1", "api.example", .message(.badRequest)),
        ("GET /shop/orders;a=b HTTP/1.1", "api.example", .message(.badRequest)),
        ("GET /shop//orders HTTP/1.1", "api.example", .message(.badRequest)),
        ("GET /shop/%6frders HTTP/1.1", "api.example", .credentials(.missing)),
    ])
    func `place and rule are decided before credentials are read`(
        _ line: String, _ host: String, _ expected: RejectionReason
    ) throws {
        let rejection = try #require(try Fixture().rejection(try Fixture.request(line, host: host)))
        #expect(rejection.reason == expected)
        #expect((rejection.challenge != nil) == (expected == .credentials(.missing)))
    }

    @Test func `path parameters are accepted only if the resource keeps them`() throws {
        let fixture = try Fixture { $0.keepsPathParameters = true }
        let forwarding = fixture.forwarding(
            try Fixture.request("GET /shop/orders/7;v=1 HTTP/1.1", fields: [Fixture.bearer()]))
        #expect(forwarding?.upstream == 0)
    }

    @Test func `path parameters do not change the matched rule, and are forwarded (T265)`() throws {
        let rules: [(String, AccessPolicy)] = [
            ("ANY /admin/**", .requiring([.allScopes(["admin"])])), ("ANY /**", .requiring([.allScopes(["read"])])),
        ]
        let fixture = try Fixture(rules: rules) { $0.keepsPathParameters = true }
        for path in ["/admin/users", "/admin;x=1/users", "/admin;/users", "/admin%3bx/users", "/%61dmin%3B"] {
            let rejection = fixture.rejection(
                try Fixture.request("GET /shop\(path) HTTP/1.1", fields: [Fixture.bearer()]))
            #expect(rejection?.challenge?.scope == "admin", "\(path)")
        }
        for path in ["/;x/users", "/..;/admin", "/a/.;x/b", "/a/%3B/b"] {
            let rejection = fixture.rejection(
                try Fixture.request("GET /shop\(path) HTTP/1.1", fields: [Fixture.bearer()]))
            #expect(rejection?.reason == .message(.badRequest), "\(path)")
        }
    }

    @Test func `the segments of the place are stripped with their path parameters (T265)`() throws {
        let fixture = try Fixture {
            $0.keepsPathParameters = true
            $0.stripsPrefix = true
        }
        for (target, rest) in [
            ("/shop;v=2/orders/7", "/orders/7"), ("/shop;v=2/orders;a/7;b", "/orders;a/7;b"),
            ("/shop%3bv/orders/", "/orders/"),
            ("/shop;v=2/me", "/me"),
        ] {
            var request = try Fixture.request("GET \(target) HTTP/1.1", fields: [Fixture.bearer()])
            let outcome = fixture.authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now))
            guard case .forward(let forwarding, _) = outcome else {
                Issue.record("\(target) is not forwarded")
                continue
            }
            #expect(String(decoding: request.path.canonical[forwarding.pathStart...], as: UTF8.self) == rest)
        }
    }

    @Test func `the upstream is chosen without path parameters (T265)`() throws {
        let fixture = try Fixture {
            $0.keepsPathParameters = true
            $0.upstreamRoutes = try RouteTable([try RoutePattern("ANY /**"), try RoutePattern("ANY /orders/eu/**")])
            $0.upstreams = [0, 7]
        }
        for (path, upstream) in [
            ("/orders/eu/7", 7), ("/orders;a/eu;b=c/7", 7), ("/orders/eu%3B", 7), ("/orders/us;eu/7", 0),
        ] {
            let request = try Fixture.request("GET /shop\(path) HTTP/1.1", fields: [Fixture.bearer()])
            #expect(fixture.forwarding(request)?.upstream == UpstreamIndex(upstream), "\(path)")
        }
    }

    @Test func `an organization in the path is compared without path parameters, also for cached tokens (T265)`()
        throws
    {
        let fixture = try Fixture { $0.keepsPathParameters = true }
        let cases = [
            ("acme;x=1", "acme", true), ("acme%3Bx", "acme", true), ("acme;x=1", "acme;x=1", false),
            ("evil;acme", "acme", false),
        ]
        for (segment, organization, isGranted) in cases {
            let token = TestToken.good.with("organization_id", "\"\(organization)\"")
            let request = try Fixture.request(
                "GET /shop/orgs/\(segment)/bills HTTP/1.1", fields: [Fixture.bearer(token)])
            #expect((fixture.forwarding(request) != nil) == isGranted, "\(segment) \(organization)")
        }
    }

    // MARK: Credentials

    @Test(
        arguments: [
            ([], RejectionReason.credentials(.missing)),
            (["Authorization: Basic YTpi"], .credentials(.missing)),
            (["Authorization: Bearer a b"], .credentials(.malformed)),
            (["Authorization: Bearer a.b.c", "Authorization: Bearer a.b.c"], .credentials(.multiple)),
            (["Authorization: Basic YTpi", "Authorization: Bearer a.b.c"], .credentials(.multiple)),
            (["Authorization: Bearer opaque"], .token(.opaqueNotSupported)),
            (["Authorization: Bearer a.b"], .token(.malformed)),
        ] as [([String], RejectionReason)])
    func `a request must have exactly one bearer token`(_ fields: [String], _ expected: RejectionReason) throws {
        let rejection = try #require(try Fixture().rejection(try Fixture.request(fields: fields)))
        #expect(rejection.reason == expected)
        #expect(rejection.challenge?.realm == Fixture.realm)
    }

    @Test(arguments: [
        "access_token=x", "a=1&access_token", "access%5Ftoken=x", "a;%61ccess_token=x",
        // Query names as arrays in PHP.
        "access_token[]=x", "access_token[0]=x", "access_token%5B%5D=x", "a&ACCESS_TOKEN[a][b]=x", "access.token=x",
        "access+token=x",
        "access%20token=x", "access[token=x", "access%2Etoken=x", "access%5Btoken[]=x", "+access_token=x",
        "%20+access_token",
        "access_token%00=x", "access_token%00[=x",
        // Query names as Rack, qs and IIS read them.
        "[access_token]=x", "%5Baccess_token%5D=x", "]access_token=x", "access_token]=x", "[[access_token]]=x",
        "access_token]a=x",
        "?access_token=x", "a&?access_token=x", "%3F+[access_token=x", "access%u005ftoken=x", "access%U005Ftoken=x",
        "%u0061ccess_token", "access%u002etoken=x", "access_token%u005b%u005d=x", "access_token%u0000=x",
    ])
    func `a token in the query beside one in Authorization is refused`(_ query: String) throws {
        let request = try Fixture.request("GET /shop/orders/7?\(query) HTTP/1.1", fields: [Fixture.bearer()])
        #expect(try Fixture().rejection(request)?.reason == .credentials(.multiple))
    }

    @Test(arguments: [
        "access_tokens=x", "xaccess_token=x", "q=access_token", "", "access|token=x", "access-token=x",
        "access__token=x",
        "access[token]=x", "access%5Btoken%5D=x", "x[access_token]=y", "[access]_token=x",
        "access%u015ftoken=x", "access%u5ftoken=x", "access%u00token=x", "access%u00", "access_token%u=x",
        "%u005=access_token",
        "accesstoken=x", "access_token%=x", "q=a&+", "{%22access_token%22:1}", "access_token|=x",
    ])
    func `another query parameter is no token`(_ query: String) throws {
        let request = try Fixture.request("GET /shop/orders/7?\(query) HTTP/1.1", fields: [Fixture.bearer()])
        #expect(try Fixture().forwarding(request) != nil)
    }

    @Test(arguments: [
        ("/x", "/x"), ("/x?", "/x?"), ("/x?access_token", "/x?access_token"),
        ("/x?access_token=s", "/x?access_token=***"),
        ("/x?a=1&access_token=s&b=2", "/x?a=1&access_token=***&b=2"),
        ("/x?access_token=s=t;[ACCESS_TOKEN]=u", "/x?access_token=***;[ACCESS_TOKEN]=***"),
        ("https://a/x?access%u005ftoken=s#access_token=t", "https://a/x?access%u005ftoken=***#access_token=***"),
        ("/access_token=s?b=access_token", "/access_token=s?b=access_token"),
        ("??access_token=s", "??access_token=***"),
        ("/x?access_tokens=s&é=1", "/x?access_tokens=s&é=1"),
    ])
    func `a shown URL does not contain the token`(url: String, shown: String) {
        #expect(ExplainedRequest.shown(url) == shown)
    }

    @Test func `a token only in the query counts as missing credentials`() throws {
        #expect(
            try Fixture().rejection(try Fixture.request("GET /shop/orders/7?access_token=x HTTP/1.1"))?.reason
                == .credentials(.missing))
    }

    @Test(arguments: [
        ("GET /shop/orders HTTP/1.1", "read"), ("POST /shop/orders HTTP/1.1", "write audit eu"),
        ("GET /shop/me HTTP/1.1", nil),
        ("GET /shop/staff HTTP/1.1", nil),
    ])
    func `the first challenge names the required scopes`(line: String, scope: String?) throws {
        let fixture = try Fixture()
        for fields in [[], ["Authorization: Basic YTpi"]] {
            let challenge = try #require(fixture.rejection(try Fixture.request(line, fields: fields))?.challenge)
            #expect(challenge.scope == scope)
            #expect(challenge.error == nil)
        }
        // Other scopes do not fix a bad token.
        let forged = "Authorization: Bearer \(TestToken.good.signed(by: TestKeys.impostor))"
        #expect(try #require(fixture.rejection(try Fixture.request(line, fields: [forged]))?.challenge).scope == nil)
    }

    @Test func `a public rule ignores credentials`() throws {
        for fields in [[], ["Authorization: Bearer rubbish"], ["Authorization: a", "Authorization: b"]] {
            let (forwarding, facts) = try #require(
                try Fixture().permission(
                    try Fixture.request("GET /shop/status?access_token=x HTTP/1.1", fields: fields)))
            #expect(!forwarding.keepsAuthorization)
            #expect(facts.token == nil)
        }
    }

    // MARK: Token

    @Test func `a request with a good token is forwarded with its facts`() throws {
        let (forwarding, facts) = try #require(
            try Fixture().permission(try Fixture.request(fields: [Fixture.bearer()])))
        #expect(facts.issuer == 0)
        #expect(facts.keyID == "k1")
        #expect(facts.token?.subject == "user-1")
        #expect(facts.token?.clientID == "app-1")
        #expect(facts.rule == 0)
        #expect(forwarding.pathStart == 0)
        #expect(!forwarding.keepsAuthorization)
    }

    @Test func `a token for one resource is refused by another`() throws {
        let request = try Fixture.request("GET /other/x HTTP/1.1", fields: [Fixture.bearer()])
        #expect(try Fixture().rejection(request)?.reason == .token(.audienceMismatch))
    }

    @Test(arguments: [
        (TestToken.good.with("exp", "1790000400"), RejectionReason.token(.expired)),
        (TestToken.good.with("exp", nil), .token(.claimInvalid)),
        (TestToken.good.with("iss", #""x""#), .token(.issuerMismatch)),
        (TestToken.good.with("cnf", "{}"), .token(.boundToken)),
    ])
    func `different token mistakes are distinguished only in the log`(_ token: TestToken, _ expected: RejectionReason)
        throws
    {
        let rejection = try #require(try Fixture().rejection(try Fixture.request(fields: [Fixture.bearer(token)])))
        #expect(rejection.reason == expected)
        #expect(rejection.challenge?.error == .invalidToken)
        let description =
            expected == .token(.expired) ? "The access token expired" : "The access token is not valid for this API"
        #expect(rejection.challenge?.errorDescription == description)
    }

    // MARK: Keys

    @Test func `a token with an unknown kid waits while a fetch may help, and is then answered`() throws {
        let fixture = try Fixture(canWait: true)
        var request = try Fixture.request(fields: [Fixture.bearer(TestToken.good.withHeader("kid", #""k7""#))])
        guard case .wait(.token(let wait), _) = fixture.outcome(request) else {
            Issue.record("did not wait")
            return
        }
        #expect(wait == .keys(KeyWait(issuer: 0, at: .keySet(0), keyID: "k7")))
        request.answer = .keys(.confirmedUnknown)
        #expect(fixture.rejection(request)?.reason == .token(.unknownKeyID))
        request.answer = .keys(.keysChanged)
        #expect(fixture.rejection(request)?.reason == .token(.unknownKeyID))
        for (answer, reason) in [
            (KeyAnswer.unavailable(retryAfter: .seconds(3)), GatewayFault.keysUnavailable),
            (.notAsked(retryAfter: .seconds(3)), .keyNotAsked),
        ] {
            request.answer = .keys(answer)
            let rejection = fixture.rejection(request)
            #expect(rejection?.reason == .gateway(reason))
            #expect(rejection?.retryAfter == .seconds(3))
            #expect(rejection?.challenge == nil)
        }
    }

    private static func naming(_ keyID: String) throws -> AuthorizationRequest {
        try Fixture.request(fields: [Fixture.bearer(TestToken.good.withHeader("kid", "\"\(keyID)\""))])
    }

    @Test func `an unknown kid gets 503 with Retry-After if no fetch is allowed, and 401 if the issuer lacks it`()
        throws
    {
        let unasked = try Fixture().rejection(try Self.naming("k7"))
        #expect(unasked?.reason == .gateway(.keyNotAsked))
        #expect(unasked?.reason.status == 503)
        #expect(unasked?.retryAfter == .seconds(7))
        #expect(unasked?.challenge == nil)
        for canWait in [true, false] {
            #expect(try Fixture(canWait: canWait).rejection(try Self.naming("k9"))?.reason == .token(.unknownKeyID))
        }
        let failing = try Fixture(lastFetchSucceeded: false).rejection(try Self.naming("k7"))
        #expect(failing?.reason == .gateway(.keysUnavailable))
        #expect(failing?.retryAfter == .seconds(7))
    }

    @Test(arguments: ["k7\\t", "k7é", "\u{202E}7k"])
    func `a kid that is not printable ASCII is unknown without a fetch`(
        _ keyID: String
    ) throws {
        for canWait in [true, false] {
            #expect(try Fixture(canWait: canWait).rejection(try Self.naming(keyID))?.reason == .token(.unknownKeyID))
        }
    }

    @Test func `the cause of an undecided key is reported separately from the reason`() throws {
        func undecided(_ fixture: Fixture, _ keyID: String, _ answer: KeyAnswer? = nil) throws -> UndecidedKey? {
            var request = try Self.naming(keyID)
            request.answer = answer.map { .keys($0) }
            guard case .reject(_, let facts) = fixture.outcome(request) else { return nil }
            return facts.undecidedKey
        }
        #expect(try undecided(Fixture(), "k7") == .notAsked)
        #expect(try undecided(Fixture(), "k9") == nil)
        #expect(try undecided(Fixture(lastFetchSucceeded: false), "k7") == .unanswered)
        #expect(try undecided(Fixture(canWait: true), "k7", .unavailable(retryAfter: .seconds(1))) == .unanswered)
        #expect(try undecided(Fixture(canWait: true), "k7", .notAsked(retryAfter: .seconds(1))) == .notAsked)
        #expect(try undecided(Fixture(canWait: true), "k7", .confirmedUnknown) == nil)
        #expect(try undecided(Fixture(keys: nil, lastFetchSucceeded: false), "k7") == .noKeys)
        #expect(try undecided(Fixture(keys: nil), "k7", .notAsked(retryAfter: .seconds(1))) == .noKeys)
        #expect([UndecidedKey.noKeys, .unanswered, .notAsked].map(\.isOfKeyID) == [false, true, true])
    }

    @Test func `the kid of a request that was told to retry is included in the next fetch`() throws {
        let fixture = try Fixture()
        guard case .reject(_, let facts) = fixture.outcome(try Self.naming("k7")) else { throw NotRefused() }
        #expect(fixture.store.takeUnasked() == [])
        fixture.authorizer.noteUnasked(facts)
        #expect(fixture.store.takeUnasked() == ["k7"])
    }

    private struct NotRefused: Error {}

    @Test func `without fresh keys every token is 503`() throws {
        let request = try Fixture.request(fields: [Fixture.bearer()])
        #expect(
            try Fixture(keys: nil, lastFetchSucceeded: false).rejection(request)?.reason == .gateway(.keysUnavailable))
        let stale = try Fixture(fetchedAt: TestToken.now - 24 * 3600 - 1)
        #expect(stale.rejection(request)?.reason == .gateway(.keysUnavailable))
        let nearlyStale = try Fixture(fetchedAt: TestToken.now - 24 * 3600 + 1)
        #expect(nearlyStale.forwarding(request) != nil)
    }

    @Test func `keys that arrived during the wait are used after it`() throws {
        let fixture = try Fixture(keys: nil, canWait: true)
        var request = try Fixture.request(fields: [Fixture.bearer()])
        guard case .wait = fixture.outcome(request) else {
            Issue.record("did not wait")
            return
        }
        var snapshot = fixture.store.snapshot()
        snapshot.keys = TestKeys.set
        snapshot.fetchedAt = NumericDate(seconds: TestToken.now)
        fixture.store.publish(snapshot)
        request.answer = .keys(.keysChanged)
        #expect(fixture.forwarding(request) != nil)
    }

    // MARK: Policy

    @Test(
        arguments: [
            ("POST /shop/orders", TestToken.good, RejectionReason.policy(.insufficientScope), "write audit eu"),
            (
                "POST /shop/orders", TestToken.good.with("scope", #""write audit""#), .policy(.insufficientScope),
                "write audit eu"
            ),
            (
                "GET /shop/orders/1", TestToken.good.with("scope", #""readonly READ read,write read\twrite""#),
                .policy(.insufficientScope),
                "read"
            ),
            ("GET /shop/orders/1", TestToken.good.with("scope", nil), .policy(.insufficientScope), "read"),
            ("GET /shop/orders/1", TestToken.good.with("scope", "null"), .policy(.insufficientScope), "read"),
            ("GET /shop/staff", TestToken.good, .policy(.roleRequired), nil),
            ("GET /shop/sales", TestToken.good, .policy(.claimRequired), nil),
            ("GET /shop/sales", TestToken.good.with("department", #""Sales""#), .policy(.claimRequired), nil),
            ("GET /shop/sales", TestToken.good.with("department", #"{"sales":true}"#), .policy(.claimRequired), nil),
            ("GET /shop/office", TestToken.good, .policy(.clientRequired), nil),
            ("GET /shop/orgs/acme/bills", TestToken.good, .policy(.organizationMismatch), nil),
            (
                "GET /shop/orgs/acme/bills", TestToken.good.with("organization_id", #""other""#),
                .policy(.organizationMismatch), nil
            ),
        ] as [(String, TestToken, RejectionReason, String?)])
    func `a valid token that lacks something gets 403 with what is missing`(
        _ line: String, _ token: TestToken, _ expected: RejectionReason, _ scope: String?
    ) throws {
        let request = try Fixture.request(line + " HTTP/1.1", fields: [Fixture.bearer(token)])
        let rejection = try #require(try Fixture().rejection(request))
        #expect(rejection.reason == expected)
        #expect(rejection.challenge?.scope == scope)
        #expect(rejection.reason.status == (expected == .policy(.organizationMismatch) ? 401 : 403))
    }

    @Test(arguments: [
        ("POST /shop/orders", TestToken.good.with("scope", #""us audit  write""#)),
        ("GET /shop/orders/1", TestToken.good.with("scope", #"["x","read"]"#)),
        ("GET /shop/orders/1", TestToken.good.with("scope", nil).with("scp", #""read""#)),
        ("GET /shop/staff", TestToken.good.with("roles", #"["admin"]"#)),
        ("GET /shop/sales", TestToken.good.with("department", #"["x","sales"]"#)),
        ("GET /shop/office", TestToken.good.with("client_id", #""back-office""#)),
        ("GET /shop/orgs/acme/bills", TestToken.good.with("organization_id", #""acme""#)),
        ("GET /shop/orgs/a%20b/bills", TestToken.good.with("organization_id", #""a b""#)),
        ("GET /shop/fresh", TestToken.good.with("auth_time", "1790000299")),
        ("GET /shop/strong", TestToken.good.with("acr", #""silver""#)),
        ("GET /shop/me", TestToken.good.with("scope", nil)),
        ("HEAD /shop/orders/1", TestToken.good),
    ])
    func `a token with everything required is forwarded`(_ line: String, _ token: TestToken) throws {
        let request = try Fixture.request(line + " HTTP/1.1", fields: [Fixture.bearer(token)])
        #expect(try Fixture().forwarding(request) != nil)
    }

    @Test func `a challenge for a too old or too weak sign-in asks for a better one`() throws {
        let old = try Fixture.request(
            "GET /shop/fresh HTTP/1.1", fields: [Fixture.bearer(.good.with("auth_time", "1790000000"))])
        let tooOld = try #require(try Fixture().rejection(old))
        #expect(tooOld.reason == .policy(.authenticationTooOld))
        #expect(tooOld.challenge?.maxAge == 300)
        let weak = try Fixture.request(
            "GET /shop/strong HTTP/1.1", fields: [Fixture.bearer(.good.with("acr", #""bronze""#))])
        let tooWeak = try #require(try Fixture().rejection(weak))
        #expect(tooWeak.reason == .policy(.authenticationTooWeak))
        #expect(tooWeak.challenge?.acrValues == "gold silver")
        #expect(tooWeak.challenge?.error == .insufficientUserAuthentication)
    }

    // MARK: Forwarding

    @Test func `the path of the place can be stripped`() throws {
        let fixture = try Fixture { $0.stripsPrefix = true }
        let request = try Fixture.request(fields: [Fixture.bearer()])
        let forwarding = try #require(fixture.forwarding(request))
        #expect(forwarding.pathStart == "/shop".utf8.count)
        #expect(String(decoding: forwarding.strippedPrefix ?? [], as: UTF8.self) == "/shop")
        #expect(try #require(Fixture().forwarding(request)).strippedPrefix == nil)
    }

    @Test func `the stripped prefix is forwarded as the file writes it, whatever the client's spelling (T308)`()
        throws
    {
        let fixture = try Fixture {
            $0.stripsPrefix = true
            $0.keepsPathParameters = true
            $0.places = try ["api.example/shop", "api.example/a,b/café!", "api.example/a,b", "other.example"].map(
                PlacePattern.init(at:))
        }
        for (host, target, prefix) in [
            ("api.example", "/shop/orders/7", "/shop"), ("api.example", "/shop;v=//evil/orders/7", nil),
            ("api.example", "/shop;v=%2e/orders/7", "/shop"), ("api.example", "/sh%6Fp/orders/7", "/shop"),
            ("api.example", "/shop%3bx/orders/7", "/shop"),
            ("api.example", "/a%2Cb/caf%c3%A9%21/orders/7", "/a%2Cb/caf%C3%A9!"),
            ("api.example", "/a,b/orders/7", "/a%2Cb"), ("other.example", "/orders/7", ""),
        ] as [(String, String, String?)] {
            let request = try Fixture.request("GET \(target) HTTP/1.1", host: host, fields: [Fixture.bearer()])
            let stated = fixture.forwarding(request).map { String(decoding: $0.strippedPrefix ?? [], as: UTF8.self) }
            #expect(stated == prefix, "\(target)")
        }
    }

    @Test func `identity headers are encoded, and absent values are omitted`() throws {
        let identity = try [
            (IdentityValue.subject, "X-Auth-Subject"), (.scopes, "X-Auth-Scope"), (.roles, "X-Auth-Roles"),
            (.tenant, "X-Auth-Tenant"),
            (.claim(try ClaimPath("address")), "X-Auth-Address"), (.claim(try ClaimPath("n")), "X-Auth-N"),
        ].map { IdentityField($0.0, name: try #require(FieldName($0.1))) }
        let token = TestToken.good.with("sub", #"" é%\u0041 ""#).with("address", #"{"b": [1, "x"], "a": null}"#).with(
            "n", "1.0")
        let forwarding = try #require(
            try Fixture(identity: identity).forwarding(try Fixture.request(fields: [Fixture.bearer(token)])),
        )
        let expected = [
            "X-Auth-Subject: %20%C3%A9%25A%20", "X-Auth-Scope: read", #"X-Auth-Address: {"b":[1,"x"],"a":null}"#,
            "X-Auth-N: 1.0", "",
        ]
        #expect(String(decoding: forwarding.identityFields, as: UTF8.self) == expected.joined(separator: "\r\n"))
    }

    @Test func `an integer claim that identifies a user is its digits everywhere (T186)`() throws {
        let identity = try [
            (IdentityValue.subject, "X-Subject"), (.client, "X-Client"), (.claim(ClaimPath(member: "sub")), "X-Claim"),
        ]
        .map { IdentityField($0.0, name: try #require(FieldName($0.1))) }
        let subject = ClaimPath(member: "sub")
        let rules: [(String, AccessPolicy)] = [
            ("GET /same", .requiring([.claim(subject, oneOf: [.string("9007199254740993")]), .client(oneOf: ["18"])])),
            ("GET /next", .requiring([.claim(subject, oneOf: [.string("9007199254740992")])])),
            ("GET /like", .requiring([.claimMatching(subject, ClaimChoice(patterns: [try ClaimPattern("9007*")]))])),
            ("GET /other", .requiring([.claimOtherThan(subject, ClaimChoice(values: [.string("9007199254740992")]))])),
        ]
        let token = TestToken.good.with("sub", "9007199254740993").with("client_id", nil).with("app", #"{"id":18}"#)
            .with("jti", "4")
        let fixture = try Fixture(
            rules: rules, identity: identity,
            issuer: { issuer in
                issuer.clients = ["18"]
                issuer.clientClaims = [ClaimPath(members: "app", "id")]
            })
        for (path, isPermitted) in [("same", true), ("next", false), ("like", true), ("other", true)] {
            let request = try Fixture.request("GET /shop/\(path) HTTP/1.1", fields: [Fixture.bearer(token)])
            let permission = fixture.permission(request)
            #expect((permission != nil) == isPermitted, "\(path)")
            guard let permission else { continue }
            let fields = String(decoding: permission.forwarding.identityFields, as: UTF8.self)
            #expect(fields == "X-Subject: 9007199254740993\r\nX-Client: 18\r\nX-Claim: 9007199254740993\r\n")
            #expect(
                permission.facts.subject == "9007199254740993" && permission.facts.clientID == "18"
                    && permission.facts.tokenID == "4")
        }
    }

    @Test func `an integer beyond 64 bits is forwarded as written, and equals no value`() throws {
        let rules: [(String, AccessPolicy)] = [
            ("GET /any", .token([])),
            ("GET /real", .requiring([.claim(ClaimPath(member: "n"), oneOf: [.real(18_446_744_073_709_551_616)])])),
        ]
        let identity = [IdentityField(.claim(ClaimPath(member: "n")), name: try #require(FieldName("X-N")))]
        let bearer = Fixture.bearer(.good.with("n", "18446744073709551616"))
        let fixture = try Fixture(rules: rules, identity: identity)
        let permission = try #require(
            fixture.permission(try Fixture.request("GET /shop/any HTTP/1.1", fields: [bearer])))
        #expect(
            String(decoding: permission.forwarding.identityFields, as: UTF8.self) == "X-N: 18446744073709551616\r\n")
        let refused = fixture.rejection(try Fixture.request("GET /shop/real HTTP/1.1", fields: [bearer]))
        #expect(refused?.reason == .policy(.claimRequired))
    }

    @Test func `a role that contains a space cannot be read as two roles`() throws {
        let identity = [IdentityField(.roles, name: try #require(FieldName("X-Auth-Roles")))]
        let request = try Fixture.request(fields: [Fixture.bearer(.good.with("roles", #"["user admin","c"]"#))])
        let forwarding = try #require(try Fixture(identity: identity).forwarding(request))
        #expect(String(decoding: forwarding.identityFields, as: UTF8.self) == "X-Auth-Roles: user%20admin c\r\n")
    }

    @Test(arguments: [
        (#"["shop-a","ops","shop-b",7,null,{"shop-":1}]"#, #"["shop-a","shop-b",7]"#), (#""shop-a""#, "shop-a"),
        ("7", "7"),
        (#"["ops","shop-"]"#, nil), ("[]", nil), (#""ops""#, nil), ("null", nil), (#"{"a":"shop-a"}"#, nil),
        (#"[["shop-a"]]"#, nil),
        (#"["shop-é"]"#, #"["shop-%C3%A9"]"#), (nil, nil),
    ])
    func `only the claim elements that the operator chose are forwarded`(_ value: String?, _ told: String?) throws {
        let choice = ClaimChoice(values: [.integer(7)], patterns: [try ClaimPattern("shop-*")])
        let field = IdentityField(
            .chosen(ClaimPath(member: "groups"), among: choice), name: try #require(FieldName("X-Groups")))
        let request = try Fixture.request(fields: [Fixture.bearer(.good.with("groups", value))])
        let forwarding = try #require(try Fixture(identity: [field]).forwarding(request))
        #expect(
            String(decoding: forwarding.identityFields, as: UTF8.self) == (told.map { "X-Groups: \($0)\r\n" } ?? ""))
    }

    @Test func `the size limit applies to the chosen elements of a claim, not to the whole claim`() throws {
        let choice = ClaimChoice(patterns: [try ClaimPattern("shop-*")])
        let field = IdentityField(
            .chosen(ClaimPath(member: "groups"), among: choice), name: try #require(FieldName("X-Groups")),
            longestValue: 64)
        let groups = "[\"shop-a\",\"\(String(repeating: "x", count: 64))\"]"
        let request = try Fixture.request(fields: [Fixture.bearer(.good.with("groups", groups))])
        let forwarding = try #require(try Fixture(identity: [field]).forwarding(request))
        #expect(String(decoding: forwarding.identityFields, as: UTF8.self) == "X-Groups: [\"shop-a\"]\r\n")
    }

    @Test func `an identity value of the maximum length is forwarded, and a longer one refused`() throws {
        for (limit, length, isForwarded) in [(4096, 4096, true), (4096, 4097, false), (64, 64, true), (64, 65, false)] {
            let identity = [
                IdentityField(
                    .claim(ClaimPath(member: "big")), name: try #require(FieldName("X-Big")), longestValue: limit)
            ]
            let token = TestToken.good.with("big", "\"\(String(repeating: "a", count: length))\"")
            let request = try Fixture.request(fields: [Fixture.bearer(token)])
            let fixture = try Fixture(identity: identity)
            #expect((fixture.forwarding(request) != nil) == isForwarded)
            if !isForwarded { #expect(fixture.rejection(request)?.reason == .policy(.identityTooLarge)) }
        }
    }

    @Test func `reserved identity headers are recognised in every spelling`() throws {
        let identity = [IdentityField(.subject, name: try #require(FieldName("X-Auth-Subject")))]
        let authorizer = try Fixture(identity: identity).authorizer
        let fields = [
            "X-AUTH-SUBJECT: a", "x_auth_subject: b", "X-Auth_Subject: c", "X-Auth-Subjects: d", "Y-Auth-Subject: e",
            "X.Auth~Subject: f",
        ]
        let request = try Fixture.request(fields: fields)
        let removed = request.head.fields.map { authorizer.edits.removes($0, of: request.head) }
        #expect(removed == [false, true, true, true, false, false, true])
    }
}
