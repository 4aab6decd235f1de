import AccessControl
import HTTPMessages
import JOSE
import JOSESigning
import KeySets
import KnownTokens
import RequestAuthorization
import TestSupport
import Testing
import TokenIntrospection
import TokenVerification

/// Tokens on the deny list are refused, cached or not, whatever else they contain.
@Suite struct DenialTests {
    private static let now = NumericDate(seconds: TestToken.now)
    private static let line = "GET /shop/orders/7 HTTP/1.1"

    /// An authorizer with a deny list, with or without a cache.
    private struct Denying {
        let list: DenyList
        let authorizer: RequestAuthorizer

        /// - Parameter requests: true if requests are checked against the list; otherwise only open streams are.
        init(cached: Bool, introspection: IntrospectionStore? = nil, requests: Bool = true) throws {
            list = DenyList(try #require(DenyDigests.process))
            let key = try #require(TokenDigestKey())
            let fixture = try AuthorizerFixture(
                introspection: introspection, digestKey: key,
                issuer: { $0.opaqueTokens = OpaqueTokenRule(clients: ["app-1"]) })
            authorizer = try RequestAuthorizer(
                resources: fixture.authorizer.resources, issuers: fixture.authorizer.issuers, digestKey: key,
                cache: cached ? VerifiedTokenCache(byteLimit: 1 << 20) : nil, denials: requests ? list : nil,
                streamDenials: list)
        }

        func deny(_ attribute: DeniedAttribute, _ value: String, issuer: String = "main", issuedBefore: Double? = nil)
            throws
        {
            var builder = DenyTable.Builder(list.digests)
            let entry = DenyEntry(
                issuer: issuer, attribute, value, issuedBefore: issuedBefore.map { NumericDate(seconds: $0) },
                expires: DenialTests.now + .seconds(60))
            let isAdded = builder.add(entry)
            #expect(isAdded)
            list.replace(.api, by: builder.table(at: DenialTests.now))
        }

        func outcome(_ token: String, _ line: String = DenialTests.line, answer: String? = nil) throws
            -> AuthorizationOutcome
        {
            var request = try AuthorizerFixture.request(line, fields: ["Authorization: Bearer \(token)"])
            if let answer {
                let bytes = Array(answer.utf8)
                request.answer = .introspection(.response(try IntrospectionResponse(parsing: bytes.span)))
            }
            return authorizer.authorize(&request, at: DenialTests.now)
        }

        /// `forwarded`, or the reason of the refusal.
        func text(_ token: String, _ line: String = DenialTests.line, answer: String? = nil) throws -> String {
            switch try outcome(token, line, answer: answer) {
            case .forward: "forwarded"
            case .reject(let rejection, _): rejection.reason.label
            case .wait, .publish, .preflight: "something else"
            }
        }
    }

    private static let good = TestToken.good.with("sid", #""s-1""#).signed(by: TestKeys.rsa)
    private static let values: [(DeniedAttribute, String)] = [
        (.tokenID, "t-1"), (.subject, "user-1"), (.session, "s-1"), (.client, "app-1"), (.keyID, "k1"),
    ]

    @Test(
        arguments: [
            (DeniedAttribute.tokenID, "-4", "4"), (.subject, "9007199254740993", "9007199254740992"),
            (.session, "7", "7.0"),
            (.client, "18", "018"),
        ], [false, true])
    func `an integer claim is denied by exactly its digits (T186)`(
        _ entry: (attribute: DeniedAttribute, value: String, other: String), _ cached: Bool
    ) throws {
        let token = TestToken.good.with("jti", "-4").with("sub", "9007199254740993").with("sid", "7").with(
            "client_id", "18")
        let denying = try Denying(cached: cached)
        try denying.deny(entry.attribute, entry.other)
        for _ in 0..<2 { #expect(try denying.text(token.signed(by: TestKeys.rsa)) == "forwarded") }
        try denying.deny(entry.attribute, entry.value)
        for _ in 0..<2 { #expect(try denying.text(token.signed(by: TestKeys.rsa)) == "denied") }
    }

    @Test(arguments: values, [false, true])
    func `a token named by an entry is refused, even after it was accepted before (T183)`(
        _ named: (attribute: DeniedAttribute, value: String), _ cached: Bool
    ) throws {
        let denying = try Denying(cached: cached)
        #expect(try denying.text(Self.good) == "forwarded")
        try denying.deny(named.attribute, named.value)
        #expect(try denying.text(Self.good) == "denied")
        #expect(try denying.text(Self.good) == "denied")
        // A rule that the token does not satisfy gives the same answer as one that it satisfies: the caller learns
        // nothing about it.
        #expect(try denying.text(Self.good, "GET /shop/staff HTTP/1.1") == "denied")
        #expect(try denying.text(Self.good, "GET /shop/status HTTP/1.1") == "forwarded")
        try denying.deny(named.attribute, named.value + "x")
        #expect(try denying.text(Self.good) == "forwarded")
        try denying.deny(named.attribute, named.value, issuer: "other")
        #expect(try denying.text(Self.good) == "forwarded")
    }

    @Test(arguments: [false, true])
    func `a denied token gets the same response as any invalid token`(_ cached: Bool) throws {
        let denying = try Denying(cached: cached)
        try denying.deny(.subject, "user-1")
        for _ in 0..<2 {
            guard case .reject(let rejection, let facts) = try denying.outcome(Self.good) else { throw Unexpected() }
            #expect(rejection.reason.status == 401)
            #expect(
                rejection.challenge?.fieldValue.contains(
                    #"error="invalid_token", error_description="The access token is not valid for this API""#) == true)
            #expect(facts.stage == .denials)
        }
    }

    @Test(arguments: [false, true])
    func `another signature over the same claims is denied as well (T099, T183)`(_ cached: Bool) throws {
        let denying = try Denying(cached: cached)
        let twins = (0..<2).map { _ in TestToken.good.signed(by: TestKeys.ec) }
        #expect(twins[0] != twins[1])
        #expect(try denying.text(twins[0]) == "forwarded")
        try denying.deny(.tokenID, "t-1")
        for twin in twins { #expect(try denying.text(twin) == "denied") }
    }

    @Test(
        arguments: [("1790000000", 1_790_000_001, true), ("1790000000", 1_790_000_000, false), (nil, 1, true)],
        [false, true])
    func `issued_before does not deny tokens issued later`(
        _ token: (issued: String?, before: Double, isDenied: Bool), _ cached: Bool
    ) throws {
        let denying = try Denying(cached: cached)
        let signed = TestToken.good.with("iat", token.issued).signed(by: TestKeys.rsa)
        #expect(try denying.text(signed) == "forwarded")
        try denying.deny(.subject, "user-1", issuedBefore: token.before)
        #expect(try denying.text(signed) == (token.isDenied ? "denied" : "forwarded"))
    }

    @Test func `an invalid token is refused as invalid, denied or not`() throws {
        let denying = try Denying(cached: true)
        try denying.deny(.subject, "user-1")
        #expect(try denying.text(TestToken.good.signed(by: TestKeys.impostor)) == "bad_signature")
        #expect(try denying.text(TestToken.good.with("exp", "1789990000").signed(by: TestKeys.rsa)) == "expired")
    }

    @Test func `an opaque token is denied by the claims of its introspection response`() throws {
        let denying = try Denying(cached: true, introspection: IntrospectionStore())
        let answer =
            #"{"active":true,"client_id":"app-1","sub":"u1","jti":"o-1","scope":"read","exp":1790003600,"token_type":"Bearer"}"#
        let token = "kX2m9vTqLr8WbN5cYd1Zs7UeA0gFo4HnMj3PiQwEtRy"
        #expect(try denying.text(token, answer: answer) == "forwarded")
        for (attribute, value) in [(DeniedAttribute.subject, "u1"), (.tokenID, "o-1"), (.client, "app-1")] {
            try denying.deny(attribute, value)
            #expect(try denying.text(token, answer: answer) == "denied")
        }
        // The introspection response has no `iat`.
        try denying.deny(.subject, "u1", issuedBefore: 5)
        #expect(try denying.text(token, answer: answer) == "denied")
    }

    @Test(arguments: [false, true], [false, true])
    func `the marks kept for a stream decide whether its token is denied later, even without a deny list for requests`(
        _ cached: Bool, _ requests: Bool
    ) throws {
        let denying = try Denying(cached: cached, requests: requests)
        #expect(!denying.authorizer.mayDenyStreams && denying.authorizer.hasDenyList == requests)
        for _ in 0..<2 {
            var request = try AuthorizerFixture.request(Self.line, fields: ["Authorization: Bearer \(Self.good)"])
            guard case .forward(_, let facts) = denying.authorizer.authorize(&request, at: Self.now) else {
                throw Unexpected()
            }
            defer { denying.list.replace(.api, by: .empty) }
            let marks = try #require(denying.authorizer.denyMarks(of: request, facts))
            for (attribute, value) in Self.values {
                try denying.deny(attribute, value)
                #expect(denying.authorizer.mayDenyStreams && denying.authorizer.denies(marks, at: Self.now))
                try denying.deny(attribute, value + "x")
                #expect(!denying.authorizer.denies(marks, at: Self.now))
            }
        }
    }

    @Test func `explain names the entry that denies a token, and omits the step without a deny list`() throws {
        let denying = try Denying(cached: false)
        func steps(_ authorizer: RequestAuthorizer) throws -> [String] {
            var request = try AuthorizerFixture.request(Self.line, fields: ["Authorization: Bearer \(Self.good)"])
            return authorizer.explain(&request, at: Self.now).steps.filter { $0.name == "deny list" }.map {
                "\($0.verdict.rawValue) \($0.detail)"
            }
        }
        #expect(try steps(denying.authorizer) == ["passed no entry names the token"])
        try denying.deny(.client, "app-1")
        #expect(try steps(denying.authorizer) == ["failed an entry of main names its client"])
        #expect(try steps(try AuthorizerFixture().authorizer) == [])
    }

    private struct Unexpected: Error {}
}
