import AccessControl
import JOSE
import KeySets
import KnownTokens
import RequestAuthorization
import TestSupport
import Testing
import TokenIntrospection
import TokenVerification

@Suite struct OpaqueTokenTests {
    typealias Fixture = AuthorizerFixture

    static let line = "GET /shop/orders/7 HTTP/1.1"
    static let token = "kX2m9vTqLr8WbN5cYd1Zs7UeA0gFo4HnMj3PiQwEtRy"

    /// An authorizer whose issuer introspects opaque tokens.
    private struct Asking {
        let fixture: AuthorizerFixture
        let store = IntrospectionStore()
        let key: TokenDigestKey

        init() throws {
            key = try #require(TokenDigestKey())
            fixture = try AuthorizerFixture(
                introspection: store, digestKey: key, issuer: { $0.opaqueTokens = OpaqueTokenRule(clients: ["app-1"]) })
        }

        func digest(of token: String = OpaqueTokenTests.token) throws -> TokenDigest {
            let bytes = Array(token.utf8)
            let digest = key.digest(of: bytes.span)
            return try #require(digest)
        }

        func request(_ token: String = OpaqueTokenTests.token) throws -> AuthorizationRequest {
            try Fixture.request(OpaqueTokenTests.line, fields: ["Authorization: Bearer \(token)"])
        }
    }

    private static func response(_ json: String) throws -> IntrospectionResponse {
        let bytes = Array(json.utf8)
        return try IntrospectionResponse(parsing: bytes.span)
    }

    private static let good =
        #"{"active":true,"client_id":"app-1","sub":"u1","scope":"read","exp":1790003600,"token_type":"Bearer"}"#

    @Test func `without an issuer that introspects, an opaque token is refused`() throws {
        let request = try Fixture.request(Self.line, fields: ["Authorization: Bearer \(Self.token)"])
        #expect(try Fixture().rejection(request)?.reason == .token(.opaqueNotSupported))
    }

    @Test func `an opaque token is introspected once, unchanged, and the response decides`() throws {
        let asking = try Asking()
        var request = try asking.request()
        guard case .wait(.token(.introspection(let wait)), let facts) = asking.fixture.outcome(request) else {
            throw Unexpected()
        }
        #expect(wait == IntrospectionWait(issuer: 0, digest: try asking.digest(), token: Array(Self.token.utf8)))
        #expect(facts.issuer == 0)
        request.answer = .introspection(.response(try Self.response(Self.good)))
        let known = asking.fixture.permission(request)?.facts
        #expect(known?.token?.subject == "u1")
        #expect(known?.token?.scopes == ["read"])
    }

    @Test(arguments: [
        (#"{"active":false}"#, RejectionReason.token(.inactive)),
        (#"{"active":"true","client_id":"app-1"}"#, .token(.inactive)),
        (#"{"active":true,"client_id":"app-2","scope":"read"}"#, .token(.audienceMismatch)),
        (#"{"active":true,"client_id":"app-1","token_type":"Bearer"}"#, .policy(.insufficientScope)),
        (#"{"active":true,"client_id":"app-1","scope":"read"}"#, .token(.notAccessToken)),
        (#"{"active":true,"client_id":"app-1","scope":"read","exp":1789990000}"#, .token(.expired)),
    ])
    func `an introspection response is judged like a token`(_ json: String, _ expected: RejectionReason) throws {
        let asking = try Asking()
        var request = try asking.request()
        request.answer = .introspection(.response(try Self.response(json)))
        #expect(asking.fixture.rejection(request)?.reason == expected)
    }

    @Test func `a cached introspection response needs no wait, and is judged again each time`() throws {
        let asking = try Asking()
        asking.store.keep(
            try Self.response(Self.good), for: try asking.digest(), until: NumericDate(seconds: TestToken.now + 9_000))
        #expect(asking.fixture.forwarding(try asking.request()) != nil)
        #expect(asking.fixture.rejection(try asking.request(), now: 1_790_003_660)?.reason == .token(.expired))
        guard case .wait = asking.fixture.outcome(try asking.request(), now: TestToken.now + 9_000) else {
            throw Unexpected()
        }
    }

    @Test func `without an introspection response the request is 503, never forwarded and never 401`() throws {
        let asking = try Asking()
        var request = try asking.request()
        request.answer = .introspection(.unavailable(retryAfter: .seconds(9)))
        let rejection = asking.fixture.rejection(request)
        #expect(rejection?.reason == .gateway(.introspectionUnavailable))
        #expect(rejection?.reason.status == 503)
        #expect(rejection?.retryAfter == .seconds(9))
        #expect(rejection?.challenge == nil)
    }

    @Test func `explain names the introspecting issuer`() throws {
        let asking = try Asking()
        var request = try asking.request()
        request.answer = .introspection(.response(try Self.response(#"{"active":false}"#)))
        let explanation = asking.fixture.authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(explanation.rejection?.reason == .token(.inactive))
        #expect(explanation.steps.first { $0.verdict == .failed }?.name == "introspection")
        #expect(!explanation.steps.contains { $0.name == "signature" })
    }

    /// Tokens that are no compact JWS belong to the issuer: with dots, padding, other characters, or empty parts.
    @Test(arguments: [
        "opaque", "ory_at_x.y", "ory_at_kX2m9vTq.Lr8WbN5c_Y-d1", "a.b.c.d", "a.b.c.d.e", "ab.cd.e+f", "abc=", "a/b~c",
        ".", "..", "a..b",
        "aa.bbbbb.cc",
    ])
    func `a token that is no compact JWS is introspected, with or without dots`(_ token: String) throws {
        let asking = try Asking()
        let outcome = asking.fixture.outcome(try asking.request(token))
        guard case .wait(.token(.introspection(let wait)), let facts) = outcome else { throw Unexpected() }
        #expect(wait.token == Array(token.utf8))
        #expect(facts.isOpaque)
        // Without introspection the token is refused as before.
        let expected: RejectionReason = token.contains(".") ? .token(.malformed) : .token(.opaqueNotSupported)
        #expect(try Fixture().rejection(try asking.request(token))?.reason == expected)
    }

    /// The form of a compact JWS is judged here, whatever its parts contain.
    @Test(arguments: ["aaaa.bbbb.cccc", "e30.e30.", "eyJhbGciOiJub25lIn0.e30."])
    func `a compact JWS is never introspected, however invalid`(_ token: String) throws {
        let asking = try Asking()
        let rejection = asking.fixture.rejection(try asking.request(token))
        #expect([.token(.malformed), .token(.algorithmNotAllowed)].contains(try #require(rejection?.reason)))
    }

    @Test(arguments: [("", RejectionReason.token(.opaqueNotSupported)), ("a.", .token(.malformed))])
    func `a token over 4 KiB is not introspected, and the log says so`(_ beginning: String, _ expected: RejectionReason)
        throws
    {
        let asking = try Asking()
        let longest =
            beginning + String(repeating: "x", count: IntrospectionConfiguration.longestToken - beginning.utf8.count)
        guard case .wait = asking.fixture.outcome(try asking.request(longest)) else { throw Unexpected() }
        let outcome = asking.fixture.outcome(try asking.request(longest + "x"))
        guard case .reject(let rejection, let facts) = outcome else { throw Unexpected() }
        #expect(rejection.reason == expected)
        #expect(rejection.reason.status == 401)
        #expect(facts.hint?.contains("4 KiB") == true)
        #expect(!facts.isOpaque && facts.introspected == nil)
    }

    @Test func `a cached introspection response is a cache hit, and a requested one a miss`() throws {
        let asking = try Asking()
        guard case .wait(_, let facts) = asking.fixture.outcome(try asking.request()) else { throw Unexpected() }
        #expect(facts.cache == .miss)
        var answered = try asking.request()
        answered.answer = .introspection(.response(try Self.response(Self.good)))
        #expect(asking.fixture.permission(answered)?.facts.cache == .miss)
        asking.store.keep(
            try Self.response(Self.good), for: try asking.digest(), until: NumericDate(seconds: TestToken.now + 60))
        let known = asking.fixture.permission(try asking.request())?.facts
        #expect(known?.cache == .hit)
        // Its log members come from the response, not from the record of another token.
        #expect(known?.hasRecord == false)
        #expect(known?.subject == "u1")
        #expect(asking.store.hits > 0 && asking.store.misses > 0)
    }

    @Test
    func `a client over its limit of failed verifications causes no introspection, but may use a cached response`()
        throws
    {
        let asking = try Asking()
        var request = try asking.request()
        request.maySpendVerification = false
        #expect(asking.fixture.rejection(request)?.reason == .gateway(.rateLimited))
        // A completed wait is judged, because it began while the client was allowed to introspect.
        request.answer = .introspection(.response(try Self.response(Self.good)))
        #expect(asking.fixture.permission(request) != nil)
        request.answer = nil
        asking.store.keep(
            try Self.response(Self.good), for: try asking.digest(), until: NumericDate(seconds: TestToken.now + 60))
        #expect(asking.fixture.permission(request) != nil)
    }

    @Test func `a wait for introspection knows its client's network, so that introspection is shared fairly`() throws {
        let asking = try Asking()
        guard case .wait(.token(let wait), _) = asking.fixture.outcome(try asking.request()) else { throw Unexpected() }
        guard case .introspection(let question) = wait.of(clientAt: 1, 2) else { throw Unexpected() }
        #expect(question.client == ClientNetwork(high: 1, low: 2))
        #expect(wait.isForIntrospection)
        let keys = TokenWait.keys(KeyWait(issuer: 0, at: .keySet(0), keyID: nil))
        #expect(keys.of(clientAt: 1, 2) == keys && !keys.isForIntrospection)
    }

    @Test func `a refresh token is refused, and explain and the log hint say why`() throws {
        let asking = try Asking()
        var request = try asking.request()
        request.answer = .introspection(
            .response(try Self.response(#"{"active":true,"client_id":"app-1","scope":"read"}"#)))
        let explanation = asking.fixture.authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(explanation.rejection?.reason == .token(.notAccessToken))
        #expect(explanation.hint?.contains("refresh tokens") == true)
        let failed = explanation.steps.first { $0.verdict == .failed }
        #expect(failed?.name == "kind")
        #expect(failed?.detail.contains("token_type is missing") == true)
    }

    private struct Unexpected: Error {}
}
