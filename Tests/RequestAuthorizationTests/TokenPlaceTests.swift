import AccessControl
import Callers
import HTTPMessages
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// A resource with its token in a header of its own.
struct TokenPlaceTests {
    typealias Fixture = AuthorizerFixture

    private static let token = TestToken.good.signed(by: TestKeys.rsa)

    private static func fixture(prefix: String = "", keeps: Bool = false, cors: Bool = false) throws -> Fixture {
        try Fixture(
            rules: Fixture.tokenRules,
            configure: { shop in
                shop.tokenPlace = .field(TokenField(FieldName(fixed: "X-Assertion"), prefix: prefix))
                shop.keepsAuthorization = keeps
            })
    }

    private func verdict(
        _ fields: [String], line: String = "GET /shop/me HTTP/1.1", prefix: String = ""
    ) throws -> String {
        switch try Self.fixture(prefix: prefix).outcome(Fixture.request(line, fields: fields)) {
        case .forward(_, let facts): facts.isAuthenticated ? "known" : "nobody"
        case .reject(let rejection, _): rejection.reason.label
        default: "?"
        }
    }

    private static let bearer = "Authorization: Bearer \(token)"
    private static let assertion = "X-Assertion: \(token)"

    @Test(arguments: [
        ([assertion], "known"), (["x-aSSertion:  \(token) "], "known"), ([], "missing_credentials"),
        ([bearer], "missing_credentials"),
        ([bearer, assertion], "known"), (["Authorization: Basic dTpw", assertion], "known"),
        ([assertion, assertion], "multiple_credentials"),
        ([assertion, "X-Assertion:"], "multiple_credentials"), (["X-Assertion:"], "missing_credentials"),
        (["X-Assertion: Bearer \(token)"], "malformed_credentials"),
        (["X-Assertion: \(token),\(token)"], "malformed_credentials"),
        (["X-Assertion: a.b.c"], "malformed"), (["X_Assertion: \(token)"], "missing_credentials"),
    ])
    func `the token is read exactly once, from the configured header only`(fields: [String], expected: String) throws {
        #expect(try verdict(fields) == expected)
    }

    @Test(arguments: [
        ("X-Assertion: jwt=\(token)", "known"), ("X-Assertion: JWT=\(token)", "known"),
        (assertion, "missing_credentials"),
        ("X-Assertion: jwt=", "malformed_credentials"), ("X-Assertion: jwt", "missing_credentials"),
        ("X-Assertion: jwt= \(token)", "malformed_credentials"),
    ])
    func `a configured token prefix is required, otherwise none is accepted`(field: String, expected: String) throws {
        #expect(try verdict([field], prefix: "jwt=") == expected)
    }

    @Test func `a token in the query besides the token header is refused`() throws {
        #expect(try verdict([Self.assertion], line: "GET /shop/me?access_token=x HTTP/1.1") == "multiple_credentials")
    }

    @Test(arguments: [
        ([], "nobody"), ([assertion], "known"), (["X-Assertion:"], "missing_credentials"),
        ([bearer], "missing_credentials"),
        (["X-Assertion: a.b.c"], "malformed"),
    ])
    func `under optional tokens, a request with neither header is anonymous`(fields: [String], expected: String) throws
    {
        #expect(try verdict(fields, line: "GET /shop/maybe HTTP/1.1") == expected)
    }

    @Test func `a token in Authorization gets a hint that names the configured header`() throws {
        guard
            case .reject(let rejection, let facts) = try Self.fixture().outcome(
                Fixture.request("GET /shop/me HTTP/1.1", fields: [Self.bearer]))
        else { return #expect(Bool(false)) }
        #expect(
            facts.hint
                == "This resource takes the token from the field `X-Assertion`; `Authorization` is not looked at.")
        #expect(rejection.challenge?.fieldValue.hasPrefix("Bearer realm=") == true)
    }

    @Test(arguments: [
        ("GET /shop/me HTTP/1.1", true), ("GET /shop/open HTTP/1.1", false), ("GET /shop/maybe HTTP/1.1", true),
    ])
    func `the token header is forwarded only if kept and verified, and Authorization never`(
        line: String, isVerified: Bool
    ) throws {
        let request = try Fixture.request(line, fields: [Self.bearer, Self.assertion])
        for keeps in [true, false] {
            let forwarding = try #require(try Self.fixture(keeps: keeps).forwarding(request))
            #expect(!forwarding.keepsAuthorization)
            let line = keeps && isVerified ? "X-Assertion: \(Self.token)\r\n" : ""
            #expect(String(decoding: forwarding.tokenField ?? [], as: UTF8.self) == line)
        }
    }

    @Test(arguments: [("x-assertion", true), ("X_Assertion", true), ("X-Assertions", false), ("X-Other", false)])
    func `the token header is removed from requests to any resource in every spelling, and kept in responses`(
        name: String, isRemoved: Bool
    )
        throws
    {
        let request = try Fixture.request("GET /other/x HTTP/1.1", fields: ["\(name): a"])
        let edits = try Self.fixture().authorizer.edits
        let field = try #require(request.head.fields.last)
        #expect(edits.removes(field, of: request.head) == isRemoved)
        #expect(edits.removes(Array(name.utf8)[...]) == isRemoved)
        var parser = ResponseHeadParser()
        #expect(
            try parser.parse(Array("HTTP/1.1 200 OK\r\n\(name): a\r\n\r\n".utf8).span, requestMethodIsHEAD: false)
                == .complete)
        #expect(!edits.removes(try #require(parser.head.fields.last), of: parser.head))
    }

    @Test func `explain puts the token into the header of the resource`() throws {
        let authorizer = try Self.fixture(prefix: "jwt=").authorizer
        let head = try Fixture.request("GET /shop/me HTTP/1.1").head
        #expect(authorizer.tokenPlace(of: head).line("a.b.c") == "X-Assertion: jwt=a.b.c")
        #expect(
            authorizer.tokenPlace(of: try Fixture.request("GET /other/me HTTP/1.1").head).line("a.b.c")
                == "Authorization: Bearer a.b.c")
        var request = try Fixture.request("GET /shop/write HTTP/1.1", fields: ["X-Assertion: jwt=\(Self.token)"])
        let told = authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(told.steps.contains { $0.name == "credentials" && $0.detail == "one bearer token, in X-Assertion" })
        #expect(told.steps.contains { $0.detail.contains("scopes are \"read\"; needed: write") })
        var missing = AuthorizationRequest(head: head)
        let without = authorizer.explain(&missing, at: NumericDate(seconds: TestToken.now))
        #expect(
            without.steps.contains {
                $0.verdict == .failed && $0.detail == "no X-Assertion field that begins with `jwt=`"
            })
    }

    @Test func `the metadata lists no bearer method of RFC 6750 for another header`() throws {
        let line = "GET /.well-known/oauth-protected-resource/shop HTTP/1.1"
        guard case .publish(let document, _) = try Self.fixture().outcome(Fixture.request(line)) else {
            return #expect(Bool(false))
        }
        #expect(String(decoding: document.bytes, as: UTF8.self).contains(#""bearer_methods_supported":[]"#))
    }

    // MARK: Several headers

    private static func several(_ places: [TokenPlace], keeps: Bool = false) throws -> Fixture {
        try Fixture(
            rules: Fixture.tokenRules,
            configure: { shop in
                shop.tokenPlace = places[0]
                shop.otherTokenPlaces = Array(places.dropFirst())
                shop.keepsAuthorization = keeps
            })
    }

    private static let first = TokenPlace.field(TokenField(FieldName(fixed: "X-Assertion")))
    private static let second = TokenPlace.field(TokenField(FieldName(fixed: "X-Other"), prefix: "jwt="))
    private static let other = "X-Other: jwt=\(token)"

    @Test(arguments: [
        ([assertion], "known"), ([other], "known"), ([], "missing_credentials"), ([bearer], "missing_credentials"),
        ([bearer, other], "known"), (["X-Other: \(token)"], "missing_credentials"),
        ([assertion, other], "multiple_credentials"), ([assertion, "X-Other:"], "multiple_credentials"),
        (["X-Assertion:", other], "multiple_credentials"), ([other, other], "multiple_credentials"),
        (["X-Assertion: a.b.c"], "malformed"), (["X-Other: jwt=a.b.c"], "malformed"),
    ])
    func `the token is read from the one of several headers that is there, and two are refused`(
        fields: [String], expected: String
    ) throws {
        for places in [[Self.first, Self.second], [Self.second, Self.first]] {
            let fixture = try Self.several(places)
            for (path, anonymous) in [("me", expected), ("maybe", fields.isEmpty ? "nobody" : expected)] {
                let request = try Fixture.request("GET /shop/\(path) HTTP/1.1", fields: fields)
                let verdict =
                    switch fixture.outcome(request) {
                    case .forward(_, let facts): facts.isAuthenticated ? "known" : "nobody"
                    case .reject(let rejection, _): rejection.reason.label
                    default: "?"
                    }
                #expect(verdict == anonymous, "\(path)")
            }
        }
    }

    @Test(arguments: [
        ([bearer], "known"), ([assertion], "known"), ([bearer, assertion], "multiple_credentials"),
        (["Authorization: Basic dTpw", assertion], "multiple_credentials"), ([], "missing_credentials"),
    ])
    func `Authorization may be one of several headers`(fields: [String], expected: String) throws {
        let fixture = try Self.several([Self.first, .authorization])
        let request = try Fixture.request("GET /shop/me HTTP/1.1", fields: fields)
        switch fixture.outcome(request) {
        case .forward(_, let facts): #expect(facts.isAuthenticated && expected == "known")
        case .reject(let rejection, _): #expect(rejection.reason.label == expected)
        default: Issue.record("no verdict")
        }
    }

    @Test func `the token is kept in the header that it came in, and all of the headers are removed`() throws {
        let fixture = try Self.several([Self.first, Self.second, .authorization], keeps: true)
        let line = "GET /shop/me HTTP/1.1"
        let inOther = try #require(fixture.forwarding(Fixture.request(line, fields: [Self.other])))
        #expect(String(decoding: inOther.tokenField ?? [], as: UTF8.self) == "\(Self.other)\r\n")
        #expect(!inOther.keepsAuthorization)
        let inAuthorization = try #require(fixture.forwarding(Fixture.request(line, fields: [Self.bearer])))
        #expect(inAuthorization.keepsAuthorization && inAuthorization.tokenField == nil)
        let request = try Fixture.request("GET /other/x HTTP/1.1", fields: ["X_Assertion: a", "x-other: b"])
        #expect(request.head.fields.dropFirst().allSatisfy { fixture.authorizer.edits.removes($0, of: request.head) })
        #expect(request.head.fields.count == 3)
    }

    @Test func `two of several headers are refused although the rule is only observed`() throws {
        let fixture = try Fixture(
            rules: Fixture.tokenRules,
            configure: { shop in
                (shop.tokenPlace, shop.otherTokenPlaces) = (Self.first, [Self.second])
                shop.mode = .observe(until: .latest)
            })
        let request = try Fixture.request("GET /shop/me HTTP/1.1", fields: [Self.assertion, Self.other])
        #expect(fixture.rejection(request)?.reason == .credentials(.multiple))
    }

    @Test func `explain names the headers that a token may be in, and those that are there together`() throws {
        let authorizer = try Self.several([Self.first, Self.second]).authorizer
        for (fields, told) in [
            ([], "no X-Assertion or X-Other field with a token"),
            (
                [Self.assertion, Self.other],
                "more than one: fields X-Assertion and X-Other, of which one alone may be there"
            ),
            (["X-Other: x"], "no X-Other field that begins with `jwt=`"),
        ] {
            var request = try Fixture.request("GET /shop/me HTTP/1.1", fields: fields)
            let explanation = authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
            #expect(explanation.steps.contains { $0.verdict == .failed && $0.detail == told }, "\(told)")
        }
        guard
            case .reject(_, let facts) = try Self.several([Self.first, Self.second]).outcome(
                Fixture.request("GET /shop/me HTTP/1.1", fields: [Self.bearer]))
        else {
            Issue.record("not refused")
            return
        }
        #expect(
            facts.hint
                == "This resource takes the token from the field `X-Assertion` or `X-Other`; `Authorization` is not looked at."
        )
    }

    @Test func `an explained request has its token in the first header, or in the one that it names`() throws {
        let authorizer = try Self.several([Self.first, Self.second, .authorization]).authorizer
        func fields(_ name: String?) throws -> [String] {
            let request = ExplainedRequest(
                method: "GET", url: "/shop/me", token: "a.b.c", tokenField: name.flatMap { FieldName($0) })
            let head = try request.head(HeadLimits(), for: authorizer)
            return head.fields.dropFirst().map { "\(head.string($0.name)): \(head.string($0.value))" }
        }
        #expect(try fields(nil) == ["X-Assertion: a.b.c"])
        #expect(try fields("x-other") == ["X-Other: jwt=a.b.c"])
        #expect(try fields("authorization") == ["Authorization: Bearer a.b.c"])
        #expect(try fields("X-None") == ["X-None: a.b.c"])
    }

    @Test func `the metadata lists the method of RFC 6750 if Authorization is one of several headers`() throws {
        let line = "GET /.well-known/oauth-protected-resource/shop HTTP/1.1"
        for (places, methods) in [([Self.first, Self.second], ""), ([Self.first, .authorization], #""header""#)] {
            guard case .publish(let document, _) = try Self.several(places).outcome(Fixture.request(line)) else {
                Issue.record("no metadata")
                return
            }
            let text = String(decoding: document.bytes, as: UTF8.self)
            #expect(text.contains(#""bearer_methods_supported":[\#(methods)]"#))
        }
    }

    // MARK: Certificates

    @Test(arguments: [
        ("GET /shop/me HTTP/1.1", true), ("GET /shop/status HTTP/1.1", true), ("GET /other/x HTTP/1.1", false),
    ])
    func `the client certificate is forwarded if the resource says so`(line: String, isStated: Bool) throws {
        let token = TestToken.good.with("aud", #"["api","billing"]"#)
        var request = try Fixture.request(line, fields: [Fixture.bearer(token)])
        let fixture = try Fixture(configure: { $0.statesClientCertificate = true })
        #expect(try #require(fixture.forwarding(request)).identityFields.isEmpty)
        request.clientCertificate = ClientCertificate([0xFB, 0xFF, 0xFE, 0x00])
        let fields = String(decoding: try #require(fixture.forwarding(request)).identityFields, as: UTF8.self)
        #expect(fields == (isStated ? "Client-Cert: :+//+AA==:\r\n" : ""))
    }

    @Test(arguments: [("GET /shop/me HTTP/1.1", true), ("GET /shop/status HTTP/1.1", false)])
    func `a client certificate longer than an identity may be is refused`(line: String, hasChallenge: Bool) throws {
        var request = try Fixture.request(line, fields: [Fixture.bearer()])
        for (length, isForwarded) in [(45, true), (46, false)] {
            let fixture = try Fixture(configure: { ($0.statesClientCertificate, $0.longestIdentity) = (true, 62) })
            request.clientCertificate = ClientCertificate([UInt8](repeating: 7, count: length))
            #expect((fixture.forwarding(request) != nil) == isForwarded)
            guard !isForwarded else { continue }
            let rejection = try #require(fixture.rejection(request))
            #expect(rejection.reason == .policy(.identityTooLarge))
            #expect((rejection.challenge != nil) == hasChallenge)
        }
    }

    @Test func `a client cannot forge the client certificate headers`() throws {
        let edits = try Fixture(configure: { $0.statesClientCertificate = true }).authorizer.edits
        let request = try Fixture.request(fields: [
            "Client-Cert: :AA==:", "client_cert: x", "Client-Cert-Chain: :AA==:",
        ])
        #expect(request.head.fields.dropFirst().allSatisfy { edits.removes($0, of: request.head) })
    }
}
