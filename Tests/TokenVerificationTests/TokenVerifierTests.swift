import JOSE
import JOSESigning
import TestSupport
import Testing

@testable import TokenVerification

/// One token and the exact verdict on it.
struct TokenCase: Sendable, CustomTestStringConvertible {
    let name: String
    let token: String
    let expected: TokenRejection?

    init(_ name: String, _ token: TestToken, by key: SigningKey = TestKeys.rsa, _ expected: TokenRejection?) {
        self.init(name, raw: token.signed(by: key), expected)
    }

    init(_ name: String, raw token: String, _ expected: TokenRejection?) {
        self.name = name
        self.token = token
        self.expected = expected
    }

    var testDescription: String { name }

    /// Rejection of the token. Nil if it is verified.
    func verdict(
        issuer: TrustedIssuer = .test, keys: KeySet = TestKeys.set, audiences: [String] = ["api"],
        now: Double = TestToken.now
    ) -> TokenRejection? {
        refusal(issuer: issuer, keys: keys, audiences: audiences, now: now)?.rejection
    }

    /// Rejection of the token with the check that made it. Nil if it is verified.
    func refusal(
        issuer: TrustedIssuer = .test, keys: KeySet = TestKeys.set, audiences: [String] = ["api"],
        now: Double = TestToken.now
    ) -> TokenRefusal? {
        do {
            let bytes = Array(token.utf8)
            let date = NumericDate(seconds: now)
            _ = try TokenVerifier(issuer: issuer).verify(bytes.span, keys: keys, audiences: audiences, at: date)
            return nil
        } catch {
            return error
        }
    }
}

extension TrustedIssuer {
    static var test: TrustedIssuer {
        TrustedIssuer(
            name: "test", identifier: "https://iss.example", algorithms: [.rs256, .es256], tokenType: .accessTokenJWT)
    }
}

@Suite struct TokenVerifierTests {
    static let good = TestToken.good

    static let headerCases: [TokenCase] = [
        TokenCase("good", good, nil),
        TokenCase("good by the other key", good, by: TestKeys.ec, nil),
        TokenCase("typ in the long form and upper case (T086)", good.withHeader("typ", #""APPLICATION/AT+JWT""#), nil),
        TokenCase("unknown extra member (T093)", good.withHeader("foo", "1"), nil),
        TokenCase("typ missing (T085)", good.withHeader("typ", TestToken.absent), .typeMismatch),
        TokenCase("typ JWT", good.withHeader("typ", #""JWT""#), .typeMismatch),
        TokenCase("typ dpop+jwt", good.withHeader("typ", #""dpop+jwt""#), .typeMismatch),
        TokenCase("typ a number", good.withHeader("typ", "7"), .malformed),
        TokenCase("alg none (T061)", good.withHeader("alg", #""none""#), .algorithmNotAllowed),
        TokenCase("alg None", good.withHeader("alg", #""None""#), .algorithmNotAllowed),
        TokenCase("alg empty", good.withHeader("alg", #""""#), .algorithmNotAllowed),
        TokenCase("alg missing (T062)", good.withHeader("alg", TestToken.absent), .algorithmNotAllowed),
        TokenCase("alg null", good.withHeader("alg", "null"), .algorithmNotAllowed),
        TokenCase("alg an array", good.withHeader("alg", #"["RS256"]"#), .algorithmNotAllowed),
        TokenCase("alg rs256 (T063)", good.withHeader("alg", #""rs256""#), .algorithmNotAllowed),
        TokenCase("alg HS256 (T064)", good.withHeader("alg", #""HS256""#), .algorithmNotAllowed),
        TokenCase("alg PS256, not on the list (T065)", good.withHeader("alg", #""PS256""#), .algorithmNotAllowed),
        TokenCase("alg ES256 with an RSA key (T067)", good.withHeader("alg", #""ES256""#), .algorithmNotAllowed),
        TokenCase("crit (T071)", good.withHeader("crit", #"["foo"]"#), .unsupportedHeader),
        TokenCase("crit empty (T072)", good.withHeader("crit", "[]"), .unsupportedHeader),
        TokenCase("b64 (T073)", good.withHeader("b64", "false"), .unsupportedHeader),
        TokenCase("zip (T074)", good.withHeader("zip", #""DEF""#), .unsupportedHeader),
        TokenCase("jwk beside a genuine signature (T078)", good.withHeader("jwk", "{}"), nil),
        TokenCase("jku beside a genuine signature", good.withHeader("jku", #""https://evil.example/keys""#), nil),
        TokenCase("x5u beside a genuine signature", good.withHeader("x5u", #""https://evil.example/cert""#), nil),
        TokenCase("x5c beside a genuine signature", good.withHeader("x5c", #"["MIIB"]"#), nil),
        TokenCase("x5t of another key beside a genuine signature", good.withHeader("x5t", #""AAAA""#), nil),
        TokenCase("jku twice", good.withHeader("jku", #""https://a.example","jku":"https://a.example""#), .malformed),
        TokenCase(
            "jwk of the key that signed, with the genuine kid (T075)",
            good.withHeader("jwk", TestKeys.impostor.publicJWK), by: TestKeys.impostor, .badSignature),
        TokenCase(
            "jku, signed by another with the genuine kid (T076)", good.withHeader("jku", "\"x\""),
            by: TestKeys.impostor, .badSignature),
        TokenCase("x5u, likewise", good.withHeader("x5u", "\"x\""), by: TestKeys.impostor, .badSignature),
        TokenCase("x5c, likewise (T077)", good.withHeader("x5c", #"["MIIB"]"#), by: TestKeys.impostor, .badSignature),
        TokenCase("x5t, likewise", good.withHeader("x5t", "\"x\""), by: TestKeys.impostor, .badSignature),
        TokenCase("crit null", good.withHeader("crit", "null"), .unsupportedHeader),
        TokenCase("b64 null", good.withHeader("b64", "null"), .unsupportedHeader),
        TokenCase("zip null", good.withHeader("zip", "null"), .unsupportedHeader),
        TokenCase("enc null", good.withHeader("enc", "null"), .unsupportedHeader),
        TokenCase("kid null", good.withHeader("kid", "null"), .malformed),
        TokenCase("typ null", good.withHeader("typ", "null"), .malformed),
        TokenCase("cty JWT (T087)", good.withHeader("cty", #""JWT""#), .unsupportedHeader),
        TokenCase("kid missing (T079)", good.withHeader("kid", TestToken.absent), .unknownKeyID),
        TokenCase("kid unknown (T081)", good.withHeader("kid", #""k2""#), .unknownKeyID),
        TokenCase("kid in another case (T084)", good.withHeader("kid", #""K1""#), .unknownKeyID),
        TokenCase("kid a number (T082)", good.withHeader("kid", "1"), .malformed),
        TokenCase("kid empty", good.withHeader("kid", #""""#), .malformed),
        TokenCase("signed by another key with the same kid (T105)", good, by: TestKeys.impostor, .badSignature),
    ]

    @Test(arguments: headerCases) func `a header mistake has its own verdict, whatever the claims`(_ example: TokenCase)
    {
        #expect(example.verdict() == example.expected)
    }

    @Test(arguments: RivalKeys.all)
    func `a key that the token itself brings is never used, with any algorithm (T075, T076, T077, T078)`(
        _ keys: RivalKeys
    ) throws {
        var issuer = TrustedIssuer.test
        issuer.algorithms = .all
        let set = TestKeys.keySet(RivalKeys.all.map(\.genuine))
        let verdict = { (token: TestToken, key: SigningKey) in
            TokenCase("", token, by: key, nil).refusal(issuer: issuer, keys: set)
        }
        for (members, token) in try Self.good.bringing(keys.attackers, from: "https://evil.example") {
            let refusal = verdict(token, keys.attackers)
            #expect(refusal?.rejection == .badSignature && refusal?.check == .signature, "\(members)")
            #expect(verdict(token, keys.genuine) == nil, "\(members)")
            // The attacker's tokens are well formed, and only the key is not the issuer's.
            let own = TestKeys.keySet([keys.attackers])
            #expect(
                TokenCase("", token, by: keys.attackers, nil).refusal(issuer: issuer, keys: own) == nil, "\(members)")
        }
    }

    /// A token with every mistake, fixed one by one: the remaining ones decide, in the order of the checks.
    @Test func `the checks are made in order, and each refusal names its own check`() {
        var issuer = TrustedIssuer.test
        issuer.keyBinding = .policy(PolicyRule(claims: [ClaimPath(member: "tfp")], policies: ["sign_in"]))
        issuer.clients = ["app-1"]
        issuer.claimChecks = [IssuerCheck(.oneOf(ClaimPath(member: "plan"), [.string("gold")]), else: .claimInvalid)]
        var token = Self.good.withHeader("typ", #""JWT""#).withHeader("kid", #""k9""#)
        for (name, value) in [
            ("iss", #""https://else.example""#), ("exp", "1"), ("aud", #""else""#), ("events", "{}"),
            ("client_id", #""app-2""#),
            ("sub", "7.5"), ("cnf", "{}"),
        ] { token = token.with(name, value) }
        let mends: [(TokenCheck, (TestToken) -> TestToken)] = [
            (.issuer, { $0.with("iss", #""https://iss.example""#) }), (.header, { $0.withHeader("typ", #""at+jwt""#) }),
            (.key, { $0.withHeader("kid", #""k1""#) }), (.signature, { $0 }),
            (.origin, { $0.with("tfp", #""sign_in""#) }),
            (.times, { $0.with("exp", "1790003600") }), (.audience, { $0.with("aud", #""api""#) }),
            (.kind, { $0.with("events", nil) }),
            (.client, { $0.with("client_id", #""app-1""#) }), (.subject, { $0.with("sub", #""user-1""#) }),
            (.claims, { $0.with("plan", #""gold""#) }), (.binding, { $0.with("cnf", nil) }),
        ]
        #expect([.form, .introspection] + mends.map(\.0) == TokenCheck.allCases)
        #expect(TokenCase("", raw: "a.b", .malformed).refusal(issuer: issuer)?.check == .form)
        for (check, mend) in mends {
            let key = check <= .signature ? TestKeys.impostor : TestKeys.rsa
            let refusal = TokenCase("", token, by: key, nil).refusal(issuer: issuer)
            #expect(refusal?.check == check)
            #expect((refusal?.signed != nil) == (check > .origin))
            token = mend(token)
        }
        #expect(TokenCase("", token, nil).refusal(issuer: issuer) == nil)
    }

    static let formCases: [TokenCase] = [
        TokenCase("no dots", raw: "opaque", .opaqueNotSupported),
        TokenCase("one dot", raw: "a.b", .malformed),
        TokenCase("five parts (T041)", raw: "e30.e30.e30.e30.e30", .malformed),
        TokenCase("8,000 dots (T043)", raw: String(repeating: ".", count: 8000), .malformed),
        TokenCase("leading dot", raw: "." + good.signed(by: TestKeys.rsa), .malformed),
        TokenCase("trailing dot", raw: good.signed(by: TestKeys.rsa) + ".", .malformed),
        TokenCase("padding (T044)", raw: good.signed(by: TestKeys.rsa) + "=", .malformed),
        TokenCase("plus sign (T045)", raw: good.signed(by: TestKeys.rsa) + "+", .malformed),
        TokenCase("unsigned with alg none", raw: "eyJhbGciOiJub25lIn0.e30.", .algorithmNotAllowed),
        TokenCase("header an array (T090)", raw: "W10.e30.AA", .malformed),
        TokenCase("empty string", raw: "", .opaqueNotSupported),
    ]

    @Test(arguments: formCases) func `only the compact form is accepted as token`(_ example: TokenCase) {
        #expect(example.verdict() == example.expected)
    }

    static let claimCases: [TokenCase] = [
        TokenCase("iss with a slash (T174)", good.with("iss", #""https://iss.example/""#), .issuerMismatch),
        TokenCase("iss in upper case", good.with("iss", #""https://ISS.example""#), .issuerMismatch),
        TokenCase("iss an array", good.with("iss", #"["https://iss.example"]"#), .issuerMismatch),
        TokenCase("iss missing", good.with("iss", nil), .issuerMismatch),
        TokenCase("exp missing (T139)", good.with("exp", nil), .claimInvalid),
        TokenCase("exp null", good.with("exp", "null"), .claimInvalid),
        TokenCase("exp a string", good.with("exp", #""1790003600""#), .claimInvalid),
        TokenCase("exp zero (T140)", good.with("exp", "0"), .expired),
        TokenCase("exp minus zero", good.with("exp", "-0"), .expired),
        TokenCase("exp -1e308", good.with("exp", "-1e308"), .expired),
        TokenCase("exp one second left of the leeway (T141)", good.with("exp", "1790000541"), nil),
        TokenCase("exp at the leeway", good.with("exp", "1790000540"), .expired),
        TokenCase("exp with a fraction (T142)", good.with("exp", "1790003600.5"), nil),
        TokenCase("exp in exponent form", good.with("exp", "1.7900036e9"), nil),
        TokenCase("exp in the year 9999", good.with("exp", "253402300799"), nil),
        TokenCase("exp after the year 9999 (T143)", good.with("exp", "253402300800"), .claimInvalid),
        TokenCase("exp int64 max", good.with("exp", "9223372036854775807"), .claimInvalid),
        TokenCase("exp beyond int64", good.with("exp", "9223372036854775808"), .claimInvalid),
        TokenCase("exp of 400 digits", good.with("exp", String(repeating: "9", count: 400)), .claimInvalid),
        TokenCase("exp beyond int64, below zero", good.with("exp", "-9223372036854775809"), .expired),
        TokenCase("exp 1e999", good.with("exp", "1e999"), .malformed),
        TokenCase("exp before nbf (T145)", good.with("exp", "1790000700").with("nbf", "1790000701"), .claimInvalid),
        TokenCase("nbf within the leeway (T146)", good.with("nbf", "1790000660"), nil),
        TokenCase("nbf past the leeway", good.with("nbf", "1790000661"), .notYetValid),
        TokenCase("nbf negative", good.with("nbf", "-1"), .claimInvalid),
        TokenCase("nbf a string", good.with("nbf", #""x""#), .claimInvalid),
        TokenCase("nbf null", good.with("nbf", "null"), nil),
        TokenCase("nbf beyond int64", good.with("nbf", "9223372036854775808"), .claimInvalid),
        TokenCase("iat past the leeway (T147)", good.with("iat", "1790000661"), .notYetValid),
        TokenCase("iat missing (T148)", good.with("iat", nil), nil),
        TokenCase("iat null", good.with("iat", "null"), nil),
        TokenCase(
            "an integer of 400 digits that nobody asks for (T129)", good.with("x", String(repeating: "9", count: 400)),
            nil),
        TokenCase("iat with decimals", good.with("iat", "1234.5678"), nil),
        TokenCase("aud an array (T168)", good.with("aud", #"["x","api"]"#), nil),
        TokenCase("aud missing (T169)", good.with("aud", nil), .audienceMismatch),
        TokenCase("aud empty", good.with("aud", #""""#), .audienceMismatch),
        TokenCase("aud empty array", good.with("aud", "[]"), .audienceMismatch),
        TokenCase("aud null", good.with("aud", "null"), .audienceMismatch),
        TokenCase("aud of null alone", good.with("aud", "[null]"), .audienceMismatch),
        TokenCase("aud with a number in it", good.with("aud", #"["api",1]"#), .audienceMismatch),
        TokenCase("aud with null in it", good.with("aud", #"["api",null]"#), .audienceMismatch),
        TokenCase("aud with a slash (T170)", good.with("aud", #""api/""#), .audienceMismatch),
        TokenCase("aud longer", good.with("aud", #""api.evil""#), .audienceMismatch),
        TokenCase("aud shorter", good.with("aud", #""ap""#), .audienceMismatch),
        TokenCase("aud a list in a string", good.with("aud", #""other api""#), .audienceMismatch),
        TokenCase("aud a star", good.with("aud", #""*""#), .audienceMismatch),
        TokenCase("33 audiences (T171)", good.with("aud", audiences(33)), nil),
        TokenCase("3,000 audiences", good.with("aud", audiences(3000)), nil),
        TokenCase("3,000 audiences of others", good.with("aud", audiences(3000, last: "apx")), .audienceMismatch),
        TokenCase("129 members (T128)", good.with("groups", members(129)), nil),
        TokenCase("claims of 64 levels (T127)", good.with("x", nested(63)), nil),
        TokenCase("claims of 65 levels", good.with("x", nested(64)), .malformed),
        TokenCase("claims of 100 KiB", good.with("x", "\"\(String(repeating: "x", count: 100 * 1024))\""), nil),
        TokenCase("aud of another resource (T172)", good.with("aud", #""billing""#), .audienceMismatch),
        TokenCase("sub missing", good.with("sub", nil), nil),
        TokenCase("sub empty (T177)", good.with("sub", #""""#), .subjectInvalid),
        TokenCase("sub null", good.with("sub", "null"), nil),
        TokenCase("sub an integer", good.with("sub", "7"), nil),
        TokenCase("sub the greatest integer of 64 bits", good.with("sub", "9223372036854775807"), nil),
        TokenCase("sub an integer beyond 64 bits", good.with("sub", "9223372036854775808"), .subjectInvalid),
        TokenCase("sub a whole number with a fraction", good.with("sub", "1.0"), .subjectInvalid),
        TokenCase("sub with an exponent", good.with("sub", "1e3"), .subjectInvalid),
        TokenCase("sub minus zero", good.with("sub", "-0"), .subjectInvalid),
        TokenCase("sub an array", good.with("sub", "[7]"), .subjectInvalid),
        TokenCase("sub true", good.with("sub", "true"), .subjectInvalid),
        TokenCase("sub with a line break", good.with("sub", #""a\r\nb""#), .subjectInvalid),
        TokenCase("sub of 10 KiB", good.with("sub", "\"\(String(repeating: "a", count: 10_240))\""), .subjectInvalid),
        TokenCase("jti null", good.with("jti", "null"), nil),
        TokenCase("jti an integer", good.with("jti", "7"), nil),
        TokenCase("jti an integer beyond 64 bits", good.with("jti", "9223372036854775808"), .claimInvalid),
        TokenCase("jti with a fraction", good.with("jti", "7.0"), .claimInvalid),
        TokenCase("jti an object", good.with("jti", "{}"), .claimInvalid),
        TokenCase("sub of 8 KiB", good.with("sub", "\"\(String(repeating: "a", count: 8192))\""), nil),
        TokenCase(
            "events (T182)", good.with("events", #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#),
            .notAccessToken),
        TokenCase("events null", good.with("events", "null"), nil),
        TokenCase("cnf (T030)", good.with("cnf", #"{"jkt":"x"}"#), .boundToken),
        TokenCase("cnf null", good.with("cnf", "null"), nil),
        TokenCase("cnf without members", good.with("cnf", "{}"), .boundToken),
        TokenCase("cnf with null alone", good.with("cnf", #"{"jkt":null}"#), .boundToken),
        TokenCase(
            "expired and for another audience: time comes first",
            good.with("exp", "1").with("iat", nil).with("aud", #""x""#), .expired),
    ]

    @Test(arguments: claimCases) func `each claim mistake has its own verdict`(_ example: TokenCase) {
        #expect(example.verdict() == example.expected)
    }

    @Test func `a token from an untrusted issuer is rejected before its signature is checked`() {
        let token = Self.good.with("iss", #""https://evil.example""#)
        #expect(TokenCase("", token, by: TestKeys.impostor, nil).verdict() == .issuerMismatch)
    }

    @Test func `with no accepted audience every token is refused`() {
        #expect(TokenCase("", Self.good, nil).verdict(audiences: []) == .audienceMismatch)
    }

    @Test func `a claim rule distinguishes access tokens from others`() throws {
        var issuer = TrustedIssuer.test
        issuer.tokenType = .claims([.oneOf(try ClaimPath("token_use"), [.string("access")])])
        #expect(TokenCase("", Self.good.with("token_use", #""access""#), nil).verdict(issuer: issuer) == nil)
        #expect(TokenCase("", Self.good.with("token_use", #""id""#), nil).verdict(issuer: issuer) == .notAccessToken)
        #expect(TokenCase("", Self.good, nil).verdict(issuer: issuer) == .notAccessToken)
    }

    @Test func `a lifetime over the maximum is refused (T144)`() {
        var issuer = TrustedIssuer.test
        issuer.maxLifetime = .seconds(3600)
        #expect(TokenCase("", Self.good, nil).verdict(issuer: issuer) == nil)
        #expect(TokenCase("", Self.good.with("exp", "1790003601"), nil).verdict(issuer: issuer) == .claimInvalid)
        #expect(
            TokenCase("", Self.good.with("iat", nil).with("exp", "1790004201"), nil).verdict(issuer: issuer)
                == .claimInvalid)
    }

    // MARK: Keys without names

    private static let unnamed = good.withHeader("kid", TestToken.absent)
    private static let permissive: TrustedIssuer = {
        var issuer = TrustedIssuer.test
        issuer.allowsMissingKeyID = true
        return issuer
    }()

    /// A set of keys without IDs.
    private static func anonymous(_ keys: [SigningKey]) throws -> KeySet {
        let text = SigningKey.jwkSetJSON(keys).replacing(/"kid":"[^"]*",/, with: "")
        let set = try KeySet(parsing: Array(text.utf8).span)
        try #require(!set.hasKeyIDs && set.keys.count == keys.count)
        return set
    }

    @Test func `a token without kid is tried with up to four suitable keys, if configured (T079, T080)`()
        throws
    {
        #expect(TokenCase("", Self.unnamed, nil).verdict() == .unknownKeyID)
        let more = Self.furtherRSA
        for count in 0...3 {
            let keys = TestKeys.keySet(Array(more.prefix(count)) + [TestKeys.ec, TestKeys.rsa])
            #expect(TokenCase("", Self.unnamed, nil).verdict(issuer: Self.permissive, keys: keys) == nil, "\(count)")
            let forged = TokenCase("", Self.unnamed, by: TestKeys.impostor, nil).refusal(
                issuer: Self.permissive, keys: keys)
            #expect(forged?.rejection == .badSignature && forged?.signatures == count + 1, "\(count)")
        }
        let tooMany = TestKeys.keySet(more + [TestKeys.rsa])
        let refusal = TokenCase("", Self.unnamed, nil).refusal(issuer: Self.permissive, keys: tooMany)
        #expect(refusal?.rejection == .unknownKeyID && refusal?.signatures == 0)
        // No key is suitable.
        #expect(
            TokenCase("", Self.unnamed, nil).verdict(issuer: Self.permissive, keys: TestKeys.keySet([TestKeys.ec]))
                == .unknownKeyID)
    }

    @Test func `a token with kid is tried with keys that have no ID, if configured (T095)`() throws {
        let keys = try Self.anonymous([Self.secondRSA, TestKeys.rsa])
        #expect(TokenCase("", Self.good, nil).verdict(keys: keys) == .unknownKeyID)
        #expect(TokenCase("", Self.good, nil).verdict(issuer: Self.permissive, keys: keys) == nil)
        #expect(TokenCase("", Self.unnamed, nil).verdict(issuer: Self.permissive, keys: keys) == nil)
        let forged = TokenCase("", Self.good, by: TestKeys.impostor, nil).refusal(issuer: Self.permissive, keys: keys)
        #expect(forged?.rejection == .badSignature && forged?.signatures == 2)
        let tooMany = try Self.anonymous(Self.furtherRSA + [TestKeys.rsa])
        #expect(TokenCase("", Self.good, nil).verdict(issuer: Self.permissive, keys: tooMany) == .unknownKeyID)
        // One key with an ID is enough for key IDs to count.
        let mixed = KeySet(keys: keys.keys + TestKeys.keySet([TestKeys.ec]).keys)
        #expect(TokenCase("", Self.good, nil).verdict(issuer: Self.permissive, keys: mixed) == .unknownKeyID)
    }

    @Test func `a denied key verifies no token`() {
        var issuer = TrustedIssuer.test
        issuer.deniedKeys = ["k1"]
        #expect(TokenCase("", Self.good, nil).verdict(issuer: issuer) == .unknownKeyID)
        issuer.allowsMissingKeyID = true
        #expect(TokenCase("", Self.unnamed, nil).verdict(issuer: issuer) == .unknownKeyID)
    }

    @Test func `a key is denied by its thumbprint, whatever its ID`() throws {
        let thumbprint = try #require(TestKeys.keySet([TestKeys.rsa]).keys.first).thumbprint
        for name in [Base64URL.encode(thumbprint), "k1"] {
            var issuer = Self.permissive
            issuer.deniedKeys = [name]
            #expect(TokenCase("", Self.good, nil).verdict(issuer: issuer) == .unknownKeyID, "\(name)")
            #expect(TokenCase("", Self.unnamed, nil).verdict(issuer: issuer) == .unknownKeyID, "\(name)")
            #expect(TokenCase("", Self.good, by: TestKeys.ec, nil).verdict(issuer: issuer) == nil)
        }
        // Among keys without IDs the others are still tried.
        var issuer = Self.permissive
        issuer.deniedKeys = [Base64URL.encode(thumbprint)]
        let keys = try Self.anonymous([TestKeys.rsa, Self.secondRSA])
        #expect(TokenCase("", Self.unnamed, nil).verdict(issuer: issuer, keys: keys) == .badSignature)
        #expect(TokenCase("", Self.unnamed, by: Self.secondRSA, nil).verdict(issuer: issuer, keys: keys) == nil)
        // Text that is no thumbprint is only an ID.
        issuer.deniedKeys = [Base64URL.encode(Array(thumbprint.dropLast())), "k1 "]
        #expect(TokenCase("", Self.good, nil).verdict(issuer: issuer) == nil)
    }

    @Test func `a token cut off anywhere is refused (T051)`() {
        let token = Self.good.signed(by: TestKeys.rsa)
        for length in 0..<token.utf8.count {
            let verdict = TokenCase("", raw: String(token.prefix(length)), nil).verdict()
            #expect(verdict != nil, "accepted at length \(length)")
        }
    }

    @Test func `a failure of libcrypto is no verdict on the token (T108)`() {
        #expect(TokenRejection(SignatureVerdict.unavailable) == .verificationUnavailable)
        #expect(TokenRejection(SignatureVerdict.invalid) == .badSignature)
        #expect(TokenRejection(SignatureVerdict.valid) == nil)
    }

    @Test(arguments: [2_147_483_648, 4_294_967_296] as [Double])
    func `T154 verdicts do not change where seconds exceed 31 and 32 bits`(_ instant: Double) {
        for now in [instant - 2, instant - 1, instant, instant + 1] {
            let token = Self.good.with("iat", "\(Int(now) - 600)")
            #expect(TokenCase("", token.with("exp", "\(Int(now) - 59)"), nil).verdict(now: now) == nil)
            #expect(TokenCase("", token.with("exp", "\(Int(now) - 60)"), nil).verdict(now: now) == .expired)
            #expect(
                TokenCase("", token.with("exp", "\(Int(now) + 600)").with("nbf", "\(Int(now) + 61)"), nil).verdict(
                    now: now) == .notYetValid
            )
        }
    }

    @Test func `T401 a token as large as its header's limit allows is verified, however large that is`() throws {
        let key = try SigningKey.generate(.rs256, keyID: "large", rsaBits: 4096)
        let keys = TestKeys.keySet([key])
        for more in [12 * 1024, 48 * 1024, 768 * 1024] {
            let token = Self.good.with("x", "\"\(String(repeating: "x", count: more))\"")
            #expect(TokenCase("", token, by: key, nil).verdict(keys: keys) == nil, "\(more)")
        }
    }

    @Test func `the leeway is the issuer's own`() {
        var issuer = TrustedIssuer.test
        issuer.leeway = .zero
        #expect(TokenCase("", Self.good.with("exp", "1790000601"), nil).verdict(issuer: issuer) == nil)
        #expect(TokenCase("", Self.good.with("exp", "1790000600"), nil).verdict(issuer: issuer) == .expired)
    }

    @Test func `every rejection that a token can cause has a test case`() {
        let seen = Set((Self.headerCases + Self.formCases + Self.claimCases).compactMap(\.expected))
        // These rejections are tested elsewhere: rules that only some issuers have in `IssuerRulesTests`, signers in
        // `SignerRuleTests`.
        let elsewhere: Set<TokenRejection> = [
            .notAccessToken, .verificationUnavailable, .authTimeInvalid, .authenticationTooOld, .tenantMismatch,
            .tenantNotAllowed,
            .keyIssuerMismatch, .policyNotAllowed, .versionNotAllowed, .clientNotAllowed, .claimNotAllowed,
            .foreignResource, .signerNotAllowed,
            .inactive, .denied,
        ]
        #expect(seen.union(elsewhere) == Set(TokenRejection.allCases))
    }

    private static let secondRSA = (try? SigningKey.generate(.rs256, keyID: "k9")) ?? TestKeys.rsa
    private static let furtherRSA =
        [secondRSA] + (0..<3).compactMap { try? SigningKey.generate(.rs256, keyID: "k1\($0)") }

    private static func audiences(_ count: Int, last: String = "api") -> String {
        "[" + (1..<count).map { "\"a\($0)\"," }.joined() + "\"\(last)\"]"
    }

    private static func members(_ count: Int) -> String {
        "{" + (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}"
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
}
