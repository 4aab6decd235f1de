import AccessControl
import Callers
import HTTPMessages
import JOSE
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// Tokens among the subprotocols of a WebSocket handshake, and the allowed origins.
struct SubprotocolTokenTests {
    typealias Fixture = AuthorizerFixture

    private static let token = TestToken.good.signed(by: TestKeys.rsa)
    private static let encoded = "base64url.bearer.authorization.k8s.io." + Base64URL.encode(Array(token.utf8))
    private static let bearer = "Authorization: Bearer \(token)"
    private static let handshake = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]

    private static func offering(_ list: String) -> String { "Sec-WebSocket-Protocol: \(list)" }

    private static func fixture(
        _ policy: WebSocketPolicy? = WebSocketPolicy(tokenProtocol: .bearer),
        _ configure: (inout ProtectedResource) -> Void = { _ in }
    ) throws -> Fixture {
        try Fixture(
            rules: Fixture.tokenRules,
            configure: { shop in
                shop.webSockets = policy
                configure(&shop)
            })
    }

    private func verdict(_ fields: [String], line: String = "GET /shop/me HTTP/1.1", _ fixture: Fixture? = nil) throws
        -> String
    {
        switch try (fixture ?? Self.fixture()).outcome(Fixture.request(line, fields: fields)) {
        case .forward(_, let facts): facts.isAuthenticated ? "known" : "nobody"
        case .reject(let rejection, _): rejection.reason.label
        default: "?"
        }
    }

    private func hint(_ fields: [String], _ fixture: Fixture) throws -> String? {
        guard case .reject(_, let facts) = try fixture.outcome(Fixture.request("GET /shop/me HTTP/1.1", fields: fields))
        else { return nil }
        return facts.hint
    }

    // MARK: Tokens

    @Test(arguments: [
        ([offering("bearer, \(token)")], "known"), ([offering("chat, Bearer,\(token) , superchat")], "known"),
        ([offering(encoded)], "known"), ([offering("\(encoded), v4.channel.k8s.io")], "known"),
        ([offering("bearer, \(encoded)")], "known"),
        ([bearer], "known"), ([bearer, offering("chat")], "known"), ([offering("chat")], "missing_credentials"),
        ([], "missing_credentials"),
        ([offering("bearer, a.b.c")], "malformed"), ([offering("bearer")], "malformed_credentials"),
        ([offering("bearer, a b")], "malformed_credentials"),
        ([offering("base64url.bearer.authorization.")], "malformed_credentials"),
        ([offering("base64url.bearer.authorization.\(token)=")], "malformed_credentials"),
        ([offering("bearer, \(token)"), bearer], "multiple_credentials"),
        ([offering("bearer"), bearer], "multiple_credentials"),
        ([offering("bearer, \(token), bearer, \(token)")], "multiple_credentials"),
        ([offering("bearer, \(token), \(encoded)")], "multiple_credentials"),
        ([offering("bearer, \(token), \(token)")], "multiple_credentials"),
        ([offering("\(token), bearer")], "multiple_credentials"),
        ([offering("\(token), bearer, \(token)")], "multiple_credentials"),
        ([offering("\(encoded), \(token)")], "multiple_credentials"),
        ([offering("chat, \(token)")], "missing_credentials"),
        ([offering("bearer, \(token)"), offering("chat")], "multiple_credentials"),
        ([offering("bearer"), offering(token)], "multiple_credentials"),
        (["Sec_WebSocket_Protocol: bearer, \(token)"], "missing_credentials"),
    ])
    func `a WebSocket handshake has exactly one token, among the subprotocols or in Authorization`(
        fields: [String], expected: String
    ) throws {
        #expect(try verdict(Self.handshake + fields) == expected)
    }

    @Test(arguments: ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"])
    func `a request that is no WebSocket handshake must not have a token among the subprotocols`(part: String) throws {
        let rest = Self.handshake.filter { $0 != part }
        for list in ["bearer, \(Self.token)", Self.encoded] {
            #expect(try verdict(rest + [Self.offering(list)]) == "malformed_credentials")
            #expect(try verdict(rest + [Self.offering(list), Self.bearer]) == "multiple_credentials")
        }
        #expect(try verdict(rest + [Self.offering("chat"), Self.bearer]) == "known")
        let hint = try hint(rest + [Self.offering("bearer, \(Self.token)")], Self.fixture())
        #expect(
            hint == "A token as a subprotocol is read in the handshake of a WebSocket alone, which this request is not."
        )
    }

    @Test func `a token in the query besides the subprotocol token is refused`() throws {
        let fields = Self.handshake + [Self.offering("bearer, \(Self.token)")]
        #expect(try verdict(fields, line: "GET /shop/me?access_token=x HTTP/1.1") == "multiple_credentials")
    }

    @Test func `a token in the resource's own header besides the subprotocol token is refused`() throws {
        let fixture = try Self.fixture { $0.tokenPlace = .field(TokenField(FieldName(fixed: "X-Assertion"))) }
        let offer = Self.offering("bearer, \(Self.token)")
        #expect(try verdict(Self.handshake + [offer], fixture) == "known")
        #expect(try verdict(Self.handshake + ["X-Assertion: \(Self.token)"], fixture) == "known")
        #expect(try verdict(Self.handshake + [offer, "X-Assertion: \(Self.token)"], fixture) == "multiple_credentials")
        #expect(try verdict(Self.handshake + [offer, Self.bearer], fixture) == "multiple_credentials")
    }

    @Test func `a resource may choose its own name for the token's subprotocol`() throws {
        let fixture = try Self.fixture(WebSocketPolicy(tokenProtocol: TokenProtocol("v1.jwt")))
        #expect(try verdict(Self.handshake + [Self.offering("V1.JWT, \(Self.token)")], fixture) == "known")
        #expect(
            try verdict(Self.handshake + [Self.offering("bearer, \(Self.token)")], fixture) == "missing_credentials")
    }

    @Test(arguments: [nil, WebSocketPolicy()])
    func `without token: subprotocol no token is read there, and a hint says so`(policy: WebSocketPolicy?) throws {
        let fields = Self.handshake + [Self.offering("bearer, \(Self.token)")]
        #expect(try verdict(fields, Self.fixture(policy)) == "missing_credentials")
        #expect(try hint(fields, Self.fixture(policy))?.contains("websocket: {token: subprotocol}") == true)
        #expect(try hint(Self.handshake + [Self.offering("chat")], Self.fixture(policy)) == nil)
    }

    @Test(arguments: [
        ([], "nobody"), ([offering("chat")], "nobody"), ([offering("bearer, \(token)")], "known"),
        ([offering("bearer")], "malformed_credentials"),
        ([offering("base64url.bearer.authorization.%")], "malformed_credentials"),
        ([offering("bearer, a.b.c")], "malformed"),
    ])
    func `under optional tokens, a handshake without a token offer is anonymous`(fields: [String], expected: String)
        throws
    {
        #expect(try verdict(Self.handshake + fields, line: "GET /shop/maybe HTTP/1.1") == expected)
    }

    @Test func `a public rule ignores subprotocol tokens`() throws {
        for list in ["bearer", "bearer, a, bearer, b"] {
            #expect(try verdict([Self.offering(list)], line: "GET /shop/open HTTP/1.1") == "nobody")
        }
    }

    // MARK: What is forwarded

    @Test(arguments: ["bearer, \(token)", encoded])
    func `a kept subprotocol token is forwarded in the resource's token header`(
        list: String
    ) throws {
        let request = try Fixture.request("GET /shop/me HTTP/1.1", fields: Self.handshake + [Self.offering(list)])
        let forwarded = try #require(Self.fixture { $0.keepsAuthorization = true }.forwarding(request))
        #expect(
            String(decoding: forwarded.tokenField ?? [], as: UTF8.self) == "Authorization: Bearer \(Self.token)\r\n")
        let ownField = try Self.fixture { shop in
            shop.keepsAuthorization = true
            shop.tokenPlace = .field(TokenField(FieldName(fixed: "X-Assertion"), prefix: "jwt="))
        }
        let own = try #require(ownField.forwarding(request))
        #expect(String(decoding: own.tokenField ?? [], as: UTF8.self) == "X-Assertion: jwt=\(Self.token)\r\n")
        #expect(try #require(Self.fixture().forwarding(request)).tokenField == nil)
    }

    @Test(arguments: [
        ("Sec-WebSocket-Protocol", true), ("sec_websocket_protocol", true), ("Sec-WebSocket-Protocols", false),
    ])
    func `Sec-WebSocket-Protocol is never forwarded with a token, to any resource and in any spelling`(
        name: String, isRemoved: Bool
    ) throws {
        let request = try Fixture.request("POST /other/x HTTP/1.1", fields: ["\(name): chat, bearer, a"])
        let edits = try Self.fixture().authorizer.edits
        #expect(edits.removes(try #require(request.head.fields.last), of: request.head) == isRemoved)
        let kept = try #require(edits.protocolOffer(of: request.head)).kept
        #expect(String(decoding: kept, as: UTF8.self) == (name == "Sec-WebSocket-Protocol" ? "chat" : ""))
        let plain = try Self.fixture(WebSocketPolicy()).authorizer.edits
        #expect(
            !plain.removes(try #require(request.head.fields.last), of: request.head)
                && plain.protocolOffer(of: request.head) == nil)
    }

    // MARK: Origins

    private static let own = WebSocketPolicy.Origins.own

    private static func listed(_ text: String) throws -> WebSocketPolicy.Origins {
        .listed(.listed([try OriginPattern(text)]))
    }

    private func verdict(from origins: [String], _ permitted: WebSocketPolicy.Origins, handshake: [String] = handshake)
        throws -> String
    {
        let fixture = try Self.fixture(WebSocketPolicy(tokenProtocol: .bearer, origins: permitted))
        return try verdict(handshake + origins.map { "Origin: \($0)" } + [Self.bearer], fixture)
    }

    @Test func `T448 a page may open a WebSocket only from the request's own origin, or from listed ones`()
        throws
    {
        #expect(try verdict(from: [], Self.own) == "known")
        #expect(try verdict(from: ["https://api.example"], Self.own) == "known")
        for origin in [
            "https://evil.example", "https://api.example.evil", "https://api.example:8443", "null", "", "file://",
        ] {
            #expect(try verdict(from: [origin], Self.own) == "origin_refused", "\(origin)")
        }
        let app = try Self.listed("https://app.example")
        #expect(try verdict(from: ["https://app.example"], app) == "known")
        #expect(try verdict(from: ["https://api.example"], app) == "origin_refused")
        #expect(try verdict(from: ["http://app.example"], app) == "origin_refused")
        #expect(try verdict(from: [], app) == "known")
        #expect(try verdict(from: ["https://evil.example"], .listed(.any)) == "known")
        #expect(try verdict(from: ["null"], .listed(.any)) == "origin_refused")
        #expect(try verdict(from: ["null"], .unjudged) == "known")
    }

    @Test(arguments: [
        ["https://api.example", "https://api.example"], ["https://api.example https://api.example"],
        ["https://api.example,a"],
    ])
    func `a WebSocket handshake with several origins is 400`(origins: [String]) throws {
        #expect(try verdict(from: origins, Self.own) == "bad_request")
        #expect(try verdict(from: origins, .unjudged) == "known")
    }

    @Test func `a request that is no WebSocket handshake may have any origin`() throws {
        for part in Self.handshake {
            let rest = Self.handshake.filter { $0 != part }
            #expect(try verdict(from: ["https://evil.example"], Self.own, handshake: rest) == "known", "\(part)")
        }
    }

    @Test func `T503 at a door any sign of a browser's handshake has its origin checked`() throws {
        let fixture = try Self.fixture(WebSocketPolicy(origins: .own))
        func label(_ fields: [String], _ fixture: Fixture) throws -> String {
            var request = try Fixture.request("GET /shop/open HTTP/1.1", fields: fields)
            request.isAtDoor = true
            return fixture.rejection(request)?.reason.label ?? "forwarded"
        }
        let signs = Self.handshake.filter { !$0.hasPrefix("Connection") }
        for sign in signs {
            #expect(try label([sign, "Origin: https://evil.example"], fixture) == "origin_refused", "\(sign)")
            #expect(try label([sign, "Origin: https://api.example"], fixture) == "forwarded")
            #expect(try label([sign], fixture) == "forwarded")
            #expect(try label([sign, "Origin: https://evil.example"], Self.fixture(WebSocketPolicy())) == "forwarded")
        }
        for other in ["Connection: Upgrade", "Upgrade: h2c", "Upgrade: websocket, h2c", "Sec-WebSocket-Protocol: chat"]
        {
            #expect(try label([other, "Origin: https://evil.example"], fixture) == "forwarded", "\(other)")
        }
    }

    @Test func `the WebSocket origin is checked before the token, also under public and observed rules`() throws {
        let fields = Self.handshake + ["Origin: https://evil.example"]
        let policy = WebSocketPolicy(origins: .own)
        #expect(try verdict(fields, Self.fixture(policy)) == "origin_refused")
        #expect(try verdict(fields, line: "GET /shop/open HTTP/1.1", Self.fixture(policy)) == "origin_refused")
        let observing = try Self.fixture(policy) {
            $0.mode = .observe(until: NumericDate(seconds: TestToken.now + 100))
        }
        #expect(try verdict(fields, observing) == "origin_refused")
        let rejection = try #require(
            Self.fixture(policy).rejection(Fixture.request("GET /shop/me HTTP/1.1", fields: fields)))
        #expect(rejection.reason.status == 403 && rejection.challenge == nil)
    }

    // MARK: Explanations

    private func steps(_ fields: [String], _ policy: WebSocketPolicy) throws -> [Explanation.Step] {
        let authorizer = try Self.fixture(policy) { $0.crossOrigin = CrossOriginPolicy(origins: .any) }.authorizer
        var request = try Fixture.request("GET /shop/write HTTP/1.1", fields: Self.handshake + fields)
        return authorizer.explain(&request, at: NumericDate(seconds: TestToken.now)).steps
    }

    @Test func `explain shows where the token is and its claims, and never the token`() throws {
        let policy = WebSocketPolicy(tokenProtocol: .bearer, origins: .own)
        for list in ["bearer, \(Self.token)", Self.encoded] {
            let steps = try steps([Self.offering(list), "Origin: https://api.example"], policy)
            #expect(
                steps.contains {
                    $0.name == "credentials" && $0.detail == "one bearer token, in Sec-WebSocket-Protocol"
                })
            #expect(
                steps.contains { $0.name == "websocket" && $0.detail == "pages of https://api.example may open one" })
            #expect(
                steps.contains { $0.verdict == .failed && $0.detail.contains("scopes are \"read\"; needed: write") })
            #expect(!steps.contains { $0.detail.contains(Self.token) || $0.detail.contains(Self.encoded) })
        }
        let several = try steps([Self.offering("bearer, a, bearer, b")], policy)
        #expect(
            several.contains {
                $0.verdict == .failed && $0.detail.contains("two tokens or names among the subprotocols")
            })
        let incomplete = try steps([Self.offering("bearer")], policy)
        #expect(
            incomplete.contains {
                $0.verdict == .failed && $0.detail.hasSuffix("are not `bearer` and one token behind it")
            })
    }

    @Test func `explain distinguishes the CORS permission from the WebSocket origin check`() throws {
        let steps = try steps(["Origin: https://evil.example"], WebSocketPolicy(origins: .own))
        #expect(steps.filter { $0.verdict == .failed }.map(\.name) == ["websocket"])
        #expect(steps.contains { $0.name == "cors" && $0.verdict == .passed })
        #expect(steps.contains { $0.name == "websocket" && $0.detail == "the origin is \"https://evil.example\"" })
    }
}
