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
