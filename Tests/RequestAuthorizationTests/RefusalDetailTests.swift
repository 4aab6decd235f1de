import AccessControl
import JOSE
import JOSESigning
import KeySets
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

@Suite struct RefusalDetailTests {
    typealias Fixture = AuthorizerFixture

    /// Reason and detail of a refusal, and the failed step in `explain`.
    private func told(
        _ fields: [String], of line: String = "GET /shop/orders/7 HTTP/1.1", now: Double = TestToken.now,
        issuer: (inout TrustedIssuer) -> Void = { _ in }
    ) throws -> (reason: String, detail: String?, step: String?) {
        let fixture = try Fixture(issuer: issuer)
        var request = try Fixture.request(line, fields: fields)
        // With a cache and without, like every outcome.
        _ = fixture.outcome(request, now: now)
        let time = NumericDate(seconds: now)
        guard case .reject(let rejection, let facts) = fixture.authorizer.authorize(&request, at: time) else {
            throw Forwarded()
        }
        let detail = fixture.authorizer.detail(of: rejection.reason, request, facts)
        let step = fixture.authorizer.explain(&request, at: time).steps.first { $0.verdict == .failed }
        return (rejection.reason.label, detail, step?.detail)
    }

    private struct Forwarded: Error {}

    @Test(arguments: [
        ("/shop/a/../b", "The path has a segment `.` or `..`, as it is or as `%2E`.", 8),
        ("/shop/..", "The path has a segment `.` or `..`, as it is or as `%2E`.", 6),
        ("/shop//b", "The path has two slashes in a row, which some servers read as one.", 6),
        ("/shop/a\\b", "The path has a `\\`, which some servers read as `/`.", 7),
        ("/shop/\u{E9}%5Cb", "The path has `%5C`, which some servers read as `/`.", 8),
        ("/shop/x/%e9/y", "The path has bytes above 0x7F, as they are or as `%XX`, that are no UTF-8.", 8),
        ("/shop/a%2", "The path has a `%` without two hexadecimal digits behind it.", 7),
        ("/shop/a;b", "The path has a `;`, which is refused unless the resource says `path_parameters: keep`.", 7),
        (
            "/nowhere/a%3bb", "The path has a `;`, which is refused unless the resource says `path_parameters: keep`.",
            10
        ),
    ])
    func `for an invalid path, log and explain name the rule and the byte`(path: String, rule: String, offset: Int)
        throws
    {
        let told = try told([Fixture.bearer()], of: "GET \(path) HTTP/1.1")
        #expect(told.reason == "bad_request")
        #expect(told.detail == "\(rule) It is at byte \(offset) of the path.")
        #expect(told.step?.contains(rule) == true, "\(told)")
    }

    @Test(arguments: [
        (
            TestToken.good.with("iss", #""https://iss.example/""#),
            #"iss is "https://iss.example/"; accepted: https://iss.example"#
        ),
        (.good.with("iss", nil), "iss is missing; accepted: https://iss.example"),
        (.good.with("iss", "7"), "iss is 7; accepted: https://iss.example"),
        (.good.with("aud", #"["a","b"]"#), #"aud is ["a","b"]; accepted: api"#),
        (.good.with("aud", nil), "aud is missing; accepted: api"),
        (.good.withHeader("alg", #""none""#), #"alg is "none"; accepted: RS256, ES256"#),
        (.good.withHeader("alg", #""RS512""#), #"alg is "RS512"; accepted: RS256, ES256"#),
        (.good.withHeader("alg", #""ES256""#), #"alg is "ES256", and the key "k1" is for another"#),
        (.good.withHeader("typ", #""JWT""#), #"typ is "JWT"; accepted: at+jwt, application/at+jwt"#),
        (.good.withHeader("typ", TestToken.absent), "typ is missing; accepted: at+jwt, application/at+jwt"),
        (.good.withHeader("kid", #""k9""#), #"kid is "k9"; the issuer's keys: k1, e1"#),
        (
            .good.withHeader("kid", TestToken.absent),
            "kid is missing; accepted only where the issuer says allow_missing_kid: true"
        ),
        (
            .good.with("exp", "1790000000"),
            "exp 2026-09-21T14:13:20Z, iat 2026-09-21T14:13:20Z; now 2026-09-21T14:23:20Z, leeway 60 s"
        ),
        (
            .good.with("nbf", "1790000900"),
            "exp 2026-09-21T15:13:20Z, nbf 2026-09-21T14:28:20Z, iat 2026-09-21T14:13:20Z; now 2026-09-21T14:23:20Z, leeway 60 s"
        ),
        (
            .good.with("exp", #""soon""#),
            "exp not a number, iat 2026-09-21T14:13:20Z; now 2026-09-21T14:23:20Z, leeway 60 s"
        ),
        (.good.with("scope", #""write us""#), #"scopes are "write us"; needed: read"#),
        (.good.with("scope", nil), "the token has no scope; needed: read"),
        (.good.with("scope", #"["read write","us"]"#), #"scopes are ["read write","us"]; needed: read"#),
        (.good.withHeader("alg", #"["RS256"]"#), "alg is missing or not text; accepted: RS256, ES256"),
    ])
    func `for a refused token, log and explain show its value and the accepted ones`(token: TestToken, detail: String)
        throws
    {
        let told = try told([Fixture.bearer(token)])
        #expect(told.detail == detail)
        #expect(told.step == detail)
    }

    @Test func `the detail of a missing scope names the alternatives`() throws {
        let told = try told([Fixture.bearer(.good.with("scope", #""write audit""#))], of: "POST /shop/orders HTTP/1.1")
        #expect(told.detail == #"scopes are "write audit"; needed is one of: eu, us"#)
        #expect(told.step == told.detail)
    }

    @Test(arguments: [
        (#""a b""#, #""a b""#), (#"["a","b c"]"#, #"["a","b c"]"#), (#""""#, nil), ("[]", nil),
        (#""\u0061 \"b""#, #""a \"b""#),
    ])
    func `the detail of a missing scope shows the scopes, wherever the issuer writes them`(
        scope: String, shown: String?
    )
        throws
    {
        let expected = shown.map { "scopes are \($0)" } ?? "the token has no scope"
        for (path, value) in [
            ("scope", scope), ("perms", scope), ("/a~1b", scope), ("access.roles", #"{"x":[","],"roles":\#(scope)}"#),
        ] {
            let name = path == "/a~1b" ? "a/b" : path.split(separator: ".").first.map(String.init) ?? path
            let claim = try ClaimPath(path)
            let token = TestToken.good.with("scope", nil).with(name, value)
            let told = try told([Fixture.bearer(token)]) { $0.scopeClaims = [claim] }
            #expect(told.detail == expected + "; needed: read", "\(path)")
        }
    }

    @Test func `the detail of a too old sign-in shows the times and limits`() throws {
        let old = TestToken.good.with("auth_time", "1790000000")
        let rule = try told([Fixture.bearer(old)], of: "GET /shop/fresh HTTP/1.1")
        #expect(rule.reason == "authentication_too_old")
        #expect(
            rule.detail?.contains(
                "auth_time 2026-09-21T14:13:20Z; now 2026-09-21T14:23:20Z, leeway 60 s; max_age 300 s") == true)
        let issuer = try told([Fixture.bearer(old)], of: "GET /shop/me HTTP/1.1") {
            $0.maxAuthenticationAge = .seconds(200)
        }
        #expect(issuer.detail?.hasSuffix("leeway 60 s; max_auth_age 200 s") == true)
        let missing = try told([Fixture.bearer()], of: "GET /shop/me HTTP/1.1") { $0.requiresAuthenticationTime = true }
        #expect(missing.detail?.contains("auth_time is missing") == true)
    }

    @Test func `the detail of a denied key or lifetime names the setting`() throws {
        #expect(
            try told([Fixture.bearer()]) { $0.deniedKeys = ["k1"] }.detail == #"kid is "k1", which denied_keys lists"#)
        let thumbprint = Base64URL.encode(try #require(TestKeys.keySet([TestKeys.rsa]).keys.first).thumbprint)
        #expect(
            try told([Fixture.bearer()]) { $0.deniedKeys = [thumbprint] }.detail
                == #"kid is "k1", whose key denied_keys lists by its thumbprint"#)
        let unnamed = Fixture.bearer(.good.withHeader("kid", TestToken.absent))
        #expect(
            try told([unnamed]) { ($0.deniedKeys, $0.allowsMissingKeyID) = (["k1"], true) }.detail
                == "kid is missing, and no key fits, or more than 4 do")
        #expect(
            try told([Fixture.bearer()]) { $0.maxLifetime = .seconds(60) }.detail?.hasSuffix("; max_lifetime 60 s")
                == true)
    }

    @Test(arguments: [
        (TestToken.good.with("sub", #""a","sub":"b""#), "malformed", false),
        (.good.with("iss", "7"), "issuer_mismatch", false),
        (.good.withHeader("typ", #""JWT""#), "typ_mismatch", true),
    ])
    func `T541 a refused token of a client over its limit is not parsed again for the detail`(
        _ token: TestToken, _ reason: String, _ isTold: Bool
    ) throws {
        let fixture = try Fixture()
        for maySpend in [true, false] {
            var request = try Fixture.request(fields: [Fixture.bearer(token)])
            request.maySpendVerification = maySpend
            guard case .reject(let rejection, let facts) = fixture.outcome(request) else { throw Forwarded() }
            #expect(rejection.reason.label == reason)
            #expect((fixture.authorizer.detail(of: rejection.reason, request, facts) != nil) == (maySpend || isTold))
        }
    }

    @Test func `the detail of a kid without a fetch lists the known key IDs`() throws {
        let unasked = try told([Fixture.bearer(.good.withHeader("kid", #""k7""#))])
        #expect(unasked.reason == "key_not_asked")
        #expect(unasked.detail == #"kid is "k7"; the issuer's keys: k1, e1; the issuer was not asked about it"#)
        #expect(unasked.step == unasked.detail)
        let fixture = try Fixture(lastFetchSucceeded: false)
        var request = try Fixture.request(fields: [Fixture.bearer(.good.withHeader("kid", #""k7""#))])
        guard
            case .reject(let rejection, let facts) = fixture.authorizer.authorize(
                &request, at: NumericDate(seconds: TestToken.now))
        else {
            throw Forwarded()
        }
        #expect(
            fixture.authorizer.detail(of: rejection.reason, request, facts)
                == #"kid is "k7"; the issuer's keys: k1, e1; the last key request to the issuer got no answer"#)
    }

    /// The detail of the refusal of a token with this `kid`, where the last key request failed.
    private func detail(afterFailure cause: String, keys: KeySet?, keyID: String) throws -> String? {
        let fixture = try Fixture(keys: keys, lastFetchSucceeded: false, lastFailure: cause)
        let request = try Fixture.request(fields: [Fixture.bearer(.good.withHeader("kid", "\"\(keyID)\""))])
        guard case .reject(let rejection, let facts) = fixture.outcome(request) else { throw Forwarded() }
        #expect(rejection.reason == .gateway(.keysUnavailable))
        return fixture.authorizer.detail(of: rejection.reason, request, facts)
    }

    @Test func `the detail of unavailable keys says why the last key request failed`() throws {
        #expect(
            try detail(afterFailure: "connection refused", keys: nil, keyID: "k1")
                == "the last key request to the issuer failed: connection refused")
        #expect(
            try detail(afterFailure: "connection refused", keys: TestKeys.set, keyID: "k7")
                == #"kid is "k7"; the issuer's keys: k1, e1; the last key request to the issuer got no answer: connection refused"#
        )
        let long = try #require(try detail(afterFailure: String(repeating: "é", count: 600), keys: nil, keyID: "k1"))
        #expect(long.utf8.count == "the last key request to the issuer failed: ".utf8.count + 512)
    }

    @Test func `the detail of a kid whose published key is skipped shows the reason`() throws {
        let entries = [TestKeys.rsa.publicJWK, #"{"kty":"RSA","kid":"k9","n":"AQAB","e":"AQAB"}"#]
        let set = try KeySet(parsing: Array(#"{"keys":[\#(entries.joined(separator: ","))]}"#.utf8).span)
        let fixture = try Fixture(keys: set)
        var request = try Fixture.request(fields: [Fixture.bearer(.good.withHeader("kid", #""k9""#))])
        request.answer = .keys(.confirmedUnknown)
        guard case .reject(let rejection, let facts) = fixture.outcome(request) else { throw Forwarded() }
        #expect(rejection.reason == .token(.unknownKeyID))
        #expect(
            fixture.authorizer.detail(of: rejection.reason, request, facts)
                == #"kid is "k9", and the issuer's key of that ID is not used: its modulus is shorter than 2,048 bits"#)
    }

    /// Values without a verified signature may be any text.
    @Test(arguments: ["iss", "typ", "kid", "alg", "aud"])
    func `an unverified value is cut to 128 bytes, and a verified one to 512`(_ name: String)
        throws
    {
        let long = "\"" + String(repeating: "é", count: name == "kid" ? 120 : 600) + "\""
        let token = name == "iss" || name == "aud" ? TestToken.good.with(name, long) : .good.withHeader(name, long)
        let detail = try #require(try told([Fixture.bearer(token)]).detail)
        let value = try #require(detail.firstRange(of: "is ")).upperBound
        let end = try #require(detail.firstRange(of: "…")).lowerBound
        let count = detail[value..<end].utf8.count
        #expect(name == "aud" ? (500...512).contains(count) : (120...128).contains(count), "\(count)")
    }

    @Test(arguments: [
        [], ["Authorization: Basic secret"], ["Authorization: Bearer secret secret"], ["Authorization: Bearer secret"],
        ["Authorization: Bearer a.secret.b"], ["Authorization: Bearer eyJhbGciOiJub25lIn0.c2VjcmV0.x"],
        ["Authorization: Bearer x", "Authorization: Bearer secret"],
    ])
    func `the detail of malformed credentials contains none of their text`(_ fields: [String]) throws {
        let detail = try told(fields).detail ?? ""
        for text in ["secret", "c2VjcmV0", "eyJ"] { #expect(!detail.contains(text), "\(detail)") }
    }

    @Test(arguments: [
        ("a.b", "2 parts instead of 3"),
        ("e30.e30.e30.e30.e30", "5 parts instead of 3: this is an encrypted token (JWE)"),
        ("e30..e30", "part 2 is empty"), ("e30.e30=.e30", "part 2 is not base64url: padding at byte 8 of the token"),
        ("W10.e30.AA", "the header is not a JSON object but an array"),
        ("eyJhIjoxLCJhIjoyfQ.e30.AA", "the header has the member `a` twice"),
    ])
    func `the detail of a malformed token is its first fault, in log and explain`(token: String, detail: String) throws
    {
        let told = try told(["Authorization: Bearer \(token)"])
        #expect(told.reason == "malformed")
        #expect(told.detail == detail)
        #expect(told.step == detail)
    }

    @Test(arguments: [
        (TestToken.good.withHeader("kid", "7"), "`kid` is a number, not text"),
        (.good.withHeader("crit", "[]"), "the header has `crit`"),
        (.good.with("x", #"{"a":1,"a":2}"#), "the claims set has the member `a` twice"),
        (.good.with("sub", "-0"), "sub is -0"),
        (.good.with("sub", "9223372036854775808"), "sub is an integer beyond 64 bits"),
        (.good.with("sub", "1e3"), "sub is a number with a fraction or an exponent"),
        (.good.with("sub", "[1]"), "sub is an array, not text"),
        (.good.with("sub", #""a\u0001""#), "sub has a control character"), (.good.with("sub", #""""#), "sub is empty"),
        (.good.with("jti", "1.0"), "jti is a number with a fraction or an exponent"),
        (.good.with("jti", "{}"), "jti is an object, not text"),
    ])
    func `the detail of an invalid header, subject or token ID never shows its value`(
        token: TestToken, detail: String
    ) throws {
        let told = try told([Fixture.bearer(token)])
        #expect(told.detail == detail)
        #expect(told.step == detail)
    }

    @Test func `spare bits in a signature are reported if the signature is reached`() throws {
        let good = TestToken.good.signed(by: TestKeys.rsa)
        let last = try #require(good.last)
        // 256 bytes of signature leave four spare bits.
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let index = try #require(letters.firstIndex(of: last))
        let told = try told(["Authorization: Bearer \(good.dropLast())\(letters[index + 1])"])
        #expect(told.reason == "malformed")
        #expect(told.detail == "part 3 is not base64url: the spare bits of its last character are not zero")
        #expect(told.step == told.detail)
    }

    /// Details contain no other claims, whatever is wrong with the token.
    @Test(arguments: [
        TestToken.good.with("aud", #""x""#), .good.with("exp", "1"), .good.with("scope", nil),
        .good.with("iss", #""x""#),
        .good.with("client_id", #""stranger""#), .good.with("sub", #""\u0001""#), .good.with("jti", "5.5"),
        .good.with("cnf", "{}"),
        .good.with("events", "{}"), .good.withHeader("typ", #""JWT""#), .good.withHeader("kid", #""k9""#),
    ])
    func `the detail never shows other claims`(_ token: TestToken) throws {
        let token = token.with("email", #""secret@example.org""#).with("nonce", #""secret""#)
        let detail = try told([Fixture.bearer(token)]) { $0.clients = ["app-1"] }.detail ?? ""
        for other in ["secret", "user-1", "app-1", "stranger", "t-1", "cnf"] {
            #expect(!detail.contains(other), "\(detail)")
        }
    }

    @Test func `accepted clients are listed among the audiences if the issuer checks them there`() throws {
        let told = try told([Fixture.bearer(.good.with("aud", #""x""#))]) {
            ($0.audience, $0.clients) = (.client, ["app-1", "app-2"])
        }
        #expect(told.detail == #"aud is "x"; accepted: api, app-1, app-2"#)
        let fixed = try self.told([Fixture.bearer()]) { $0.audience = .fixed(["project"]) }
        #expect(fixed.detail == #"aud is "api"; accepted: project"#)
    }

    @Test func `clients whose tokens need no aud are listed for a token without one`() throws {
        func detail(_ aud: String?) throws -> String? {
            try told([Fixture.bearer(.good.with("aud", aud).with("client_id", #""app-3""#))]) {
                $0.clientsWithoutAudience = ["app-1", "app-2"]
            }.detail
        }
        #expect(try detail(nil) == "aud is missing; then the client decides, accepted: app-1, app-2")
        #expect(try detail("[]") == "aud is missing; then the client decides, accepted: app-1, app-2")
        #expect(try detail(#""x""#) == #"aud is "x"; accepted: api"#)
    }

    @Test func `of many accepted values the detail lists only some`() throws {
        let fixture = try Fixture { $0.issuers = [AcceptedIssuer(issuer: 0, audiences: (1...20).map { "api-\($0)" })] }
        var request = try Fixture.request(fields: [Fixture.bearer()])
        guard
            case .reject(let rejection, let facts) = fixture.authorizer.authorize(
                &request, at: NumericDate(seconds: TestToken.now))
        else {
            throw Forwarded()
        }
        let detail = fixture.authorizer.detail(of: rejection.reason, request, facts)
        #expect(
            detail == #"aud is "api"; accepted: api-1, api-2, api-3, api-4, api-5, api-6, api-7, api-8 and 12 more"#)
    }

    // MARK: Claims that a rule requires

    private static func sales(_ choice: ClaimChoice) throws -> Requirement {
        .claimMatching(try ClaimPath("department"), choice)
    }

    /// Detail of a refusal by one requirement, from a fresh and a cached token alike.
    private func told(_ requirement: Requirement, _ token: TestToken, _ claimValues: ClaimValues = .shown) throws -> (
        detail: String?, step: String?
    ) {
        let fixture = try Fixture(rules: [("GET /me", .requiring([requirement]))])
        var request = try Fixture.request("GET /shop/me HTTP/1.1", fields: [Fixture.bearer(token)])
        _ = fixture.outcome(request)
        let time = NumericDate(seconds: TestToken.now)
        guard case .reject(let rejection, let facts) = fixture.authorizer.authorize(&request, at: time) else {
            throw Forwarded()
        }
        #expect(rejection.reason == .policy(.claimRequired))
        let detail = fixture.authorizer.detail(of: rejection.reason, request, facts, claimValues)
        let step = fixture.authorizer.explain(&request, at: time).steps.first { $0.verdict == .failed }
        return (detail, step?.detail)
    }

    @Test(
        arguments: [
            (nil, "department is missing; accepted: sales, hr/* (glob)", "missing"),
            ("null", "department is missing; accepted: sales, hr/* (glob)", "missing"),
            (#""Sales""#, #"department is "Sales"; accepted: sales, hr/* (glob)"#, "a string"),
            ("7", "department is 7; accepted: sales, hr/* (glob)", "a number"),
            ("false", "department is false; accepted: sales, hr/* (glob)", "a boolean"),
            (#"["a","b"]"#, #"department is ["a","b"]; accepted: sales, hr/* (glob)"#, "an array"),
            (#"{"a":1}"#, #"department is {"a":1}; accepted: sales, hr/* (glob)"#, "an object"),
        ] as [(String?, String, String)])
    func `a missed claim is told with its value and what is accepted, or with its type alone`(
        claim: String?, detail: String, type: String
    ) throws {
        let requirement = try Self.sales(
            ClaimChoice(values: [.string("sales")], patterns: [try ClaimPattern("hr/*")]))
        let token = TestToken.good.with("department", claim)
        let told = try told(requirement, token)
        #expect(told.detail == detail && told.step == detail, "\(told)")
        #expect(
            try self.told(requirement, token, .hidden).detail
                == "department is \(type); accepted: sales, hr/* (glob)")
    }

    @Test func `a claim that must not be so is told too`() throws {
        let path = try ClaimPath("a.b")
        let other = Requirement.claimOtherThan(path, ClaimChoice(values: [.integer(1), .boolean(true)]))
        #expect(try told(other, .good).detail == "a.b is missing; accepted: any but 1, true")
        #expect(try told(other, .good.with("a", #"{"b": 1}"#)).detail == "a.b is 1; accepted: any but 1, true")
        let absent = Requirement.noClaims([try ClaimPath("c"), path])
        #expect(try told(absent, .good.with("a", #"{"b": "x"}"#)).detail == #"a.b is "x"; accepted: no such claim"#)
        #expect(
            try told(absent, .good.with("a.b", "1")).detail
                == "a.b is not certain to be absent; accepted: no such claim")
        let each = Requirement.claim(try ClaimPath("groups.*.id", permitsElements: true), oneOf: [.integer(7)])
        let groups = TestToken.good.with("groups", #"[{"id": 1}, {"id": 2}]"#)
        #expect(try told(each, groups).detail == "groups.*.id is 1, 2; accepted: 7")
        #expect(try told(each, groups, .hidden).detail == "groups.*.id is 2 values; accepted: 7")
    }

    @Test func `of alternatives, the claim of the first one is told`() throws {
        let requirement = Requirement.anyOf([
            [
                .claim(try ClaimPath("type"), oneOf: [.string("app")]),
                try Self.sales(ClaimChoice(values: [.string("hr")])),
            ],
            [.allScopes(["admin"])],
        ])
        #expect(
            try told(requirement, .good.with("type", #""app""#)).detail == "department is missing; accepted: hr")
    }

    @Test func `at most 128 bytes of a claim are shown, and eight accepted values`() throws {
        let long = TestToken.good.with("department", "\"\(String(repeating: "é", count: 200))\"")
        let values = (1...9).map { ClaimScalar.integer($0) }
        let told = try told(try Self.sales(ClaimChoice(values: values)), long)
        #expect(
            told.detail
                == "department is \"\(String(repeating: "é", count: 63))…; accepted: 1, 2, 3, 4, 5, 6, 7, 8 and 1 more")
    }
}
