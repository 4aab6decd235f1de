import AccessControl
import HTTPMessages
import JOSE
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

/// A resource whose upstream gets the client's own `Authorization`.
struct PassedAuthorizationTests {
    private typealias Fixture = AuthorizerFixture

    private static let token = TestToken.good.signed(by: TestKeys.rsa)
    private static let assertion = "X-Assertion: \(token)"
    private static let basic = "Authorization: Basic dTpw"

    private static func fixture(
        passes: Bool = true, configure: (inout ProtectedResource) throws -> Void = { _ in }
    ) throws -> Fixture {
        try Fixture(
            rules: Fixture.tokenRules,
            configure: { shop in
                shop.tokenPlace = .field(TokenField(FieldName(fixed: "X-Assertion")))
                shop.passesAuthorization = passes
                try configure(&shop)
            })
    }

    private static func base64(_ text: String) -> String {
        Base64URL.encode(Array(text.utf8)).replacing("-", with: "+").replacing("_", with: "/")
    }

    private static func verdict(_ fixture: Fixture, _ path: String, _ fields: [String]) throws -> String {
        switch fixture.outcome(try Fixture.request("GET /shop/\(path) HTTP/1.1", fields: fields)) {
        case .forward(let forwarding, let facts):
            "\(facts.isAuthenticated ? "known" : "nobody")\(forwarding.keepsAuthorization ? ", passed" : "")"
        case .reject(let rejection, _): rejection.reason.label
        default: "?"
        }
    }

    @Test(arguments: [
        ("me", [assertion, basic], "known, passed"), ("me", [assertion], "known"),
        ("me", [basic], "missing_credentials"),
        ("maybe", [basic], "nobody, passed"), ("maybe", [assertion, basic], "known, passed"), ("maybe", [], "nobody"),
        ("open", [basic], "nobody, passed"), ("open", [], "nobody"),
        ("me", [assertion, "Authorization: Bearer opaque"], "known, passed"),
        ("me", [assertion, "Authorization:"], "known, passed"),
        ("write", [assertion, basic], "insufficient_scope"),
    ])
    func `the client's own Authorization goes to the upstream, and is no credential`(
        path: String, fields: [String], expected: String
    ) throws {
        #expect(try Self.verdict(Self.fixture(), path, fields) == expected)
    }

    @Test(arguments: ["me", "maybe", "open"])
    func `two Authorization headers are refused, since an upstream may read either`(path: String) throws {
        let fields = [Self.assertion, Self.basic, Self.basic]
        #expect(try Self.verdict(Self.fixture(), path, fields) == "multiple_credentials")
        #expect(try Self.verdict(Self.fixture(passes: false), path, fields) == (path == "open" ? "nobody" : "known"))
    }

    static let values: [(value: String, isRefused: Bool)] = {
        let unsigned = token.split(separator: ".").prefix(2).joined(separator: ".")
        let other = TestToken.good.with("iss", "\"https://other.example\"").signed(by: TestKeys.rsa)
        let object = Base64URL.encode(Array("{\"iss\":\"https://iss.example\"}".utf8))
        let spaced = Base64URL.encode(Array(" \n{\"\\u0069ss\":\"https://iss.example\"}".utf8))
        let broken = Base64URL.encode(Array("{\"iss\":\"https://iss.example\",\"iss\":\"x\"}".utf8))
        let list = Base64URL.encode(Array("[\"iss\"]".utf8))
        return [
            ("Bearer \(token)", true), ("bearer  \(token)", true), (token, true), ("Token token=\"\(token)\"", true),
            ("Basic \(base64("u:\(token)"))", true), ("basic  \(base64("\(token):"))==", true),
            ("JWT x,\(token),y", true), ("Bearer x.\(token)", true), ("Bearer \(token).x.y", true),
            ("Bearer a.\(object).c", true), ("Bearer \(object)..", true), ("Bearer a.\(spaced).c", true),
            ("Bearer a.\(broken).c", true), ("Bearer a.\(list).c", false),
            ("Bearer \(other)", false), ("Bearer \(unsigned)", false), ("Bearer a.b.c", false),
            ("Bearer e30.e30.e30", false),
            ("Basic \(base64("u:\(token)").replacing("Q", with: "Q*"))", true),
            ("Basic \(base64("u:\(token)"))Q", true),
            ("Basic \(base64("u:\(other)"))", false), ("Basic dTpw", false), ("Basic %%%", false),
            ("Negotiate YII=", false),
            ("Digest username=\"a.b.c\", realm=\"x\"", false), ("", false),
        ]
    }()

    @Test(arguments: values)
    func `an Authorization with a token of an issuer of the file is refused under every rule, in any scheme`(
        value: String, isRefused: Bool
    ) throws {
        let fixture = try Self.fixture()
        for (path, usual) in [("me", "known, passed"), ("maybe", "known, passed"), ("open", "nobody, passed")] {
            let verdict = try Self.verdict(fixture, path, [Self.assertion, "Authorization: \(value)"])
            #expect(verdict == (isRefused ? "multiple_credentials" : usual), "\(path)")
        }
    }

    @Test func `a token of an issuer that another resource of the file trusts is refused too`() throws {
        let fixture = try Self.fixture { $0.issuers = [] }
        #expect(try Self.verdict(fixture, "open", ["Authorization: Bearer \(Self.token)"]) == "multiple_credentials")
    }

    @Test(arguments: ["me", "nothing"])
    func `a request that is forwarded because its rule is only observed goes without Authorization`(
        path: String
    ) throws {
        let fixture = try Self.fixture { $0.mode = .observe(until: .latest) }
        #expect(try Self.verdict(fixture, path, [Self.basic]) == "nobody")
    }

    @Test(arguments: ["me", "maybe", "open"])
    func `an observed rule suspends no refusal of Authorization`(path: String) throws {
        let fixture = try Self.fixture { $0.mode = .observe(until: .latest) }
        #expect(try Self.verdict(fixture, path, [Self.assertion, Self.basic]).hasSuffix(", passed"))
        let token = "Authorization: Bearer \(Self.token)"
        for fields in [[token], [Self.assertion, token], [Self.basic, Self.basic]] {
            #expect(try Self.verdict(fixture, path, fields) == "multiple_credentials")
        }
    }

    @Test func `a path without a rule is refused for that alone`() throws {
        let token = "Authorization: Bearer \(Self.token)"
        #expect(try Self.verdict(Self.fixture(), "nothing", [token]) == "no_rule")
        let observed = try Self.fixture { $0.mode = .observe(until: .latest) }
        #expect(try Self.verdict(observed, "nothing", [token]) == "nobody")
    }

    @Test func `explain and the hint say that Authorization is passed, and why it is refused`() throws {
        let authorizer = try Self.fixture().authorizer
        for (path, fields, told) in [
            ("me", [Self.basic], "no X-Assertion field with a value"),
            (
                "open", ["Authorization: Bearer \(Self.token)"],
                "This resource passes `Authorization` to its upstream without judging it, and the request's has a token of one of the file's issuers."
            ),
            (
                "me", [Self.basic, Self.basic],
                "This resource passes `Authorization` to its upstream, and the request has more than one."
            ),
        ] {
            var request = try Fixture.request("GET /shop/\(path) HTTP/1.1", fields: fields)
            let explanation = authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
            let failed = explanation.steps.filter { $0.verdict == .failed }
            #expect(failed.map(\.name) == ["credentials"] && failed.map(\.detail) == [told])
        }
        var request = try Fixture.request("GET /shop/me HTTP/1.1", fields: [Self.assertion, Self.basic])
        let explanation = authorizer.explain(&request, at: NumericDate(seconds: TestToken.now))
        #expect(
            explanation.steps.last?.detail
                == "to the upstream, with the client's own `Authorization`, which is not judged")
        guard
            case .reject(_, let facts) = try Self.fixture().outcome(
                Fixture.request("GET /shop/me HTTP/1.1", fields: [Self.basic]))
        else {
            Issue.record("not refused")
            return
        }
        #expect(
            facts.hint
                == "This resource takes the token from the field `X-Assertion`; `Authorization` is passed to the upstream."
        )
    }
}
