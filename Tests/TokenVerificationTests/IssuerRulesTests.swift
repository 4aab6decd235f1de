import JOSE
import JOSESigning
import TestSupport
import Testing

@testable import TokenVerification

/// The rules that an issuer can have, one by one; profiles are tested in their own module.
@Suite struct IssuerRulesTests {
    private func verdict(
        _ token: TestToken, by key: SigningKey = TestKeys.rsa, keys: KeySet = TestKeys.set, _ issuer: TrustedIssuer
    )
        -> TokenRejection?
    {
        TokenCase("", token, by: key, nil).verdict(issuer: issuer, keys: keys)
    }

    private static func path(_ name: StaticString) -> ClaimPath { ClaimPath(member: name) }

    // MARK: Identifiers

    @Test(arguments: [
        ("https://login.example/t1/v2.0", true), ("https://login.example//v2.0", false),
        ("https://login.example/v2.0", false),
        ("https://login.example/t1/v2.0/", false), ("https://login.example/a/b/v2.0", false),
        ("https://login.example/common/v2.0", true),
        ("https://login.example.evil/t1/v2.0", false), ("https://LOGIN.example/t1/v2.0", false),
    ])
    func `issuers of a template differ in exactly one segment`(_ issuer: String, _ expected: Bool) {
        #expect(IssuerIdentifier(template: "https://login.example/", "/v2.0").matches(issuer) == expected)
    }

    // MARK: Directories

    private static let tenant = "7c2d9a10-5e84-4b37-a1f6-0b93c8e2d755"
    private static let otherTenant = "e4a07f63-9b12-4c8d-8d35-62f1ab7094ce"

    private static func token(iss tenant: String, tid: String?) -> TestToken {
        TestToken.good.with("iss", "\"https://login.example/\(tenant)/v2.0\"").with("tid", tid)
    }

    private static func multiTenant(_ allowed: Set<String>?) -> TrustedIssuer {
        var issuer = TrustedIssuer(
            name: "test", identifiers: [IssuerIdentifier(template: "https://login.example/", "/v2.0")],
            algorithms: [.rs256],
            tokenType: .accessTokenJWT)
        issuer.directory = DirectoryRule(allowed: allowed)
        return issuer
    }

    @Test(arguments: [
        (Self.token(iss: tenant, tid: "\"\(tenant)\""), TokenRejection?.none),
        (Self.token(iss: otherTenant, tid: "\"\(otherTenant)\""), .tenantNotAllowed),
        (Self.token(iss: otherTenant, tid: "\"\(tenant)\""), .tenantMismatch),
        (Self.token(iss: tenant, tid: "\"\(otherTenant)\""), .tenantNotAllowed),
        (Self.token(iss: "common", tid: #""common""#), .tenantMismatch),
        (Self.token(iss: tenant, tid: nil), .tenantMismatch),
        (Self.token(iss: tenant, tid: "7"), .tenantMismatch),
        (Self.token(iss: tenant, tid: "\"\(tenant.uppercased())\""), .tenantNotAllowed),
        (Self.token(iss: tenant, tid: "\"\(tenant)\"").with("Tid", #""x""#), .tenantMismatch),
    ])
    func `a token must name its own tenant, and the tenant must be allowed`(
        _ token: TestToken, _ expected: TokenRejection?
    ) {
        #expect(verdict(token, Self.multiTenant([Self.tenant])) == expected)
    }

    @Test func `any tenant is accepted if configured, as long as iss and tid agree`() {
        #expect(
            verdict(Self.token(iss: Self.otherTenant, tid: "\"\(Self.otherTenant)\""), Self.multiTenant(nil)) == nil)
        #expect(
            verdict(Self.token(iss: Self.otherTenant, tid: "\"\(Self.tenant)\""), Self.multiTenant(nil))
                == .tenantMismatch)
    }

    // MARK: Keys of a platform

    private static func keys(issuer: String?) -> KeySet {
        var text = SigningKey.jwkSetJSON([TestKeys.rsa])
        if let issuer { text = text.replacing("\"kty\"", with: "\"issuer\":\"\(issuer)\",\"kty\"") }
        let bytes = Array(text.utf8)
        return (try? KeySet(parsing: bytes.span)) ?? KeySet(keys: [])
    }

    @Test(arguments: [
        (String?.none, TokenRejection?.none), ("https://login.example/{tenantid}/v2.0", nil),
        ("https://login.example/\(Self.tenant)/v2.0", nil),
        ("https://login.example/\(Self.otherTenant)/v2.0", .keyIssuerMismatch),
        ("https://other.example/{tenantid}", nil), ("https://other.example/{tenantid}/", .keyIssuerMismatch),
    ])
    func `a key is accepted only for the issuer that it names`(_ owner: String?, _ expected: TokenRejection?) {
        var issuer = Self.multiTenant([Self.tenant])
        issuer.keyBinding = .issuerMember(orEqualTo: ["https://other.example/{tenantid}"])
        #expect(
            verdict(Self.token(iss: Self.tenant, tid: "\"\(Self.tenant)\""), keys: Self.keys(issuer: owner), issuer)
                == expected)
    }

    @Test(arguments: [
        (#""Sign_In""#, String?.none, KeySetIndex?.some(0)), (#""EDIT""#, nil, 1), (nil, #""edit""#, 1),
        (#""edit""#, #""EDIT""#, 1),
        (#""edit""#, #""sign_in""#, nil), (#""reset""#, nil, nil), (nil, nil, nil), ("7", nil, nil),
        (#""edit""#, "null", 1), ("null", "null", nil),
    ])
    func `a flow is named by one claim, or by two equal ones`(_ tfp: String?, _ acr: String?, _ expected: KeySetIndex?)
        throws
    {
        let rule = PolicyRule(claims: [Self.path("tfp"), Self.path("acr")], policies: ["sign_in", "Edit"])
        let members = [("tfp", tfp), ("acr", acr)].compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        let bytes = Array("{\(members.joined(separator: ","))}".utf8)
        #expect(rule.keySet(of: try ClaimsSet(parsing: bytes.span)) == expected)
    }

    // MARK: Claims

    static let rules: [(TokenTest, String, Bool)] = [
        (.some([path("scp"), path("roles")]), #"{"scp":"a"}"#, true), (.some([path("scp")]), #"{"scp":""}"#, false),
        (.some([path("roles")]), #"{"roles":[]}"#, false), (.some([path("roles")]), #"{"roles":["a"]}"#, true),
        (.some([path("scp")]), #"{"scp":" "}"#, false), (.some([path("scp")]), #"{"scp":[""]}"#, false),
        (.some([path("scp")]), #"{"scp":false}"#, false), (.some([path("scp")]), #"{"scp":{"a":"b"}}"#, false),
        (.exactly(path("t"), [.string("a")]), #"{"t":"a"}"#, true),
        (.exactly(path("t"), [.string("a")]), #"{"t":["a"]}"#, false),
        (.some([path("scp")]), #"{"scp":null}"#, false), (.some([path("scp")]), "{}", false),
        (.oneOf(path("t"), [.string("a")]), #"{"t":"a"}"#, true),
        (.oneOf(path("t"), [.string("a")]), #"{"t":"A"}"#, false),
        (.oneOf(path("t"), [.string("a")]), "{}", false), (.noneOf(path("t"), [.string("a")]), "{}", true),
        (.noneOf(path("t"), [.string("a")]), #"{"t":["b","a"]}"#, false),
        (.absent([path("a"), path("b")]), #"{"a":null}"#, true),
        (.missing([path("a"), path("b")]), #"{"a":null}"#, true), (.missing([path("a")]), #"{"a":[]}"#, false),
        (.absent([path("a"), path("b")]), #"{"b":0}"#, false),
        (.different(path("a"), path("b")), #"{"a":"x","b":"x"}"#, false),
        (.different(path("a"), path("b")), #"{"a":"x","b":"y"}"#, true),
        (.different(path("a"), path("b")), #"{"a":"x"}"#, true),
        (.notEnding(path("m"), ".robot"), #"{"m":"a@b.ROBOT"}"#, false),
        (.notEnding(path("m"), ".robot"), #"{"m":"a@b"}"#, true),
        (.granted(roles: path("r"), or: path("o"), in: ["1"]), #"{"r":{"admin":{"1":"x"}}}"#, true),
        (.granted(roles: path("r"), or: path("o"), in: ["1"]), #"{"r":{"admin":{"2":"x"}}}"#, false),
        (.granted(roles: path("r"), or: path("o"), in: ["1"]), #"{"r":{"1":"x"}}"#, false),
        (.granted(roles: path("r"), or: path("o"), in: ["1"]), #"{"o":"1"}"#, true),
        (.granted(roles: path("r"), or: path("o"), in: ["1"]), #"{"r":["1"]}"#, false),
        (.granted(roles: path("r"), or: path("o"), in: ["1"]), #"{"r":{"admin":{"1":null}}}"#, false),
    ]

    @Test(arguments: Self.rules)
    func `a claim rule holds exactly for the values that it names`(_ rule: TokenTest, _ json: String, _ expected: Bool)
        throws
    {
        let bytes = Array(json.utf8)
        #expect(rule.holds(for: try ClaimsSet(parsing: bytes.span)) == expected)
    }

    @Test func `checks after the audience are made in a fixed order`() {
        var issuer = TrustedIssuer.test
        issuer.tokenType = .claims([.some([Self.path("scope")])])
        issuer.versions = [.string("2.0")]
        issuer.clients = ["app-1"]
        issuer.claimChecks = [IssuerCheck(.absent([Self.path("bad")]), else: .policyNotAllowed)]
        let good = TestToken.good.with("ver", #""2.0""#)
        #expect(verdict(good, issuer) == nil)
        var faulty = good.with("bad", "1")
        #expect(verdict(faulty, issuer) == .policyNotAllowed)
        faulty = faulty.with("sub", #""""#)
        #expect(verdict(faulty, issuer) == .subjectInvalid)
        faulty = faulty.with("client_id", #""app-2""#)
        #expect(verdict(faulty, issuer) == .clientNotAllowed)
        faulty = faulty.with("ver", #""1.0""#)
        #expect(verdict(faulty, issuer) == .versionNotAllowed)
        faulty = faulty.with("scope", nil)
        #expect(verdict(faulty, issuer) == .notAccessToken)
        faulty = faulty.with("aud", #""else""#)
        #expect(verdict(faulty, issuer) == .audienceMismatch)
        faulty = faulty.with("exp", "1789990000")
        #expect(verdict(faulty, issuer) == .expired)
    }

    @Test(arguments: [
        (String?.none, TokenRejection?.none), (#""api""#, nil), (#""app-1""#, nil), (#"["app-1","else"]"#, nil),
        (#""else""#, .audienceMismatch), ("[]", nil), ("null", nil), ("[null]", .audienceMismatch),
        (#"[""]"#, .audienceMismatch),
        (#""""#, .audienceMismatch), ("{}", .audienceMismatch),
    ])
    func `if the client is the audience, aud may be absent but not another client's`(
        _ aud: String?, _ expected: TokenRejection?
    ) {
        var issuer = TrustedIssuer.test
        issuer.audience = .client
        issuer.clients = ["app-1"]
        #expect(verdict(TestToken.good.with("aud", aud), issuer) == expected)
        #expect(verdict(TestToken.good.with("aud", nil).with("client_id", nil), issuer) == .clientNotAllowed)
    }

    private static let withoutAudience: [(aud: String?, client: String?, rejection: TokenRejection?)] = [
        (nil, #""app-1""#, nil), ("null", #""app-1""#, nil), ("[]", #""app-1""#, nil),
        ("[]", #""app-2""#, nil), (nil, #""app-3""#, .audienceMismatch), (nil, nil, .audienceMismatch),
        (nil, "null", .audienceMismatch), (nil, #"["app-1"]"#, .audienceMismatch), (nil, #""""#, .audienceMismatch),
        (#""api""#, #""app-3""#, nil), (#""else""#, #""app-1""#, .audienceMismatch),
        (#""app-1""#, #""app-1""#, .audienceMismatch), (#""""#, #""app-1""#, .audienceMismatch),
        (#"[""]"#, #""app-1""#, .audienceMismatch), ("[null]", #""app-1""#, .audienceMismatch),
        ("{}", #""app-1""#, .audienceMismatch), ("false", #""app-1""#, .audienceMismatch),
        ("0", #""app-1""#, .audienceMismatch), (#"[["api"]]"#, #""app-1""#, .audienceMismatch),
    ]

    @Test(arguments: withoutAudience)
    func `a token without aud passes if its client is listed, and only then`(
        _ aud: String?, _ client: String?, _ expected: TokenRejection?
    ) {
        var issuer = TrustedIssuer.test
        issuer.clientsWithoutAudience = ["app-1", "app-2"]
        #expect(verdict(TestToken.good.with("aud", aud).with("client_id", client), issuer) == expected)
        issuer.audience = .fixed(["project"])
        let needsAudience = aud == nil || aud == "null" || aud == "[]"
        if needsAudience {
            #expect(verdict(TestToken.good.with("aud", aud).with("client_id", client), issuer) == .audienceMismatch)
        }
    }

    @Test func `the first client claim that is present decides for a token without aud`() {
        var issuer = TrustedIssuer.test
        issuer.clientsWithoutAudience = ["app-1"]
        let token = TestToken.good.with("aud", nil)
        #expect(verdict(token.with("client_id", nil).with("azp", #""app-1""#), issuer) == nil)
        #expect(verdict(token.with("client_id", #""app-3""#).with("azp", #""app-1""#), issuer) == .audienceMismatch)
    }

    @Test func `an ID token without aud is no access token, whatever its client is`() {
        var issuer = TrustedIssuer.test
        issuer.clientsWithoutAudience = ["app-1"]
        issuer.tokenType = .claims([.exactly(ClaimPath(member: "use"), [.string("access")])])
        let token = TestToken.good.with("aud", nil).with("client_id", #""app-1""#)
        #expect(verdict(token, issuer) == .notAccessToken)
        #expect(verdict(token.with("use", #""access""#), issuer) == nil)
    }

    @Test func `with a fixed audience, the resource's own audiences do not count`() {
        var issuer = TrustedIssuer.test
        issuer.audience = .fixed(["project"])
        #expect(verdict(TestToken.good, issuer) == .audienceMismatch)
        #expect(verdict(TestToken.good.with("aud", #""project""#), issuer) == nil)
    }

    @Test(arguments: [
        (String?.some("1789999000"), TokenRejection?.none), (nil, .authTimeInvalid),
        (#""1789999000""#, .authTimeInvalid),
        ("1790000660", nil), ("1790000661", .authTimeInvalid), ("-1", .authTimeInvalid),
    ])
    func `the time of authentication must be present and past`(_ time: String?, _ expected: TokenRejection?) {
        var issuer = TrustedIssuer.test
        issuer.requiresAuthenticationTime = true
        #expect(verdict(TestToken.good.with("auth_time", time), issuer) == expected)
    }

    @Test func `the subject is the first claim that is present, and each of them must be valid`() throws {
        var rule = SubjectRule()
        rule.claims = [Self.path("oid"), Self.path("sub")]
        rule.longest = 8
        rule.isRequired = true
        func subject(_ json: String) throws -> String? {
            let bytes = Array(json.utf8)
            return try ClaimsSet(parsing: bytes.span).subject(rule)?.text
        }
        #expect(try subject(#"{"sub":"s","oid":"o"}"#) == "o")
        #expect(try subject(#"{"sub":"s"}"#) == "s")
        #expect(try subject(#"{"oid":7,"sub":"s"}"#) == "7")
        for json in [#"{"sub":"123456789"}"#, #"{"sub":"","oid":"o"}"#, #"{"sub":"a\nb"}"#, "{}", #"{"oid":7.0}"#] {
            #expect(throws: TokenRejection.subjectInvalid) { try subject(json) }
        }
    }

    // MARK: What a verified token says

    private func verified(_ token: TestToken, _ issuer: TrustedIssuer) throws -> VerifiedToken {
        let bytes = Array(token.signed(by: TestKeys.rsa).utf8)
        let now = NumericDate(seconds: TestToken.now)
        return try TokenVerifier(issuer: issuer).verify(bytes.span, keys: TestKeys.set, audiences: ["api"], at: now)
    }

    @Test func `with a scope prefix, scopes without it are ignored`() throws {
        var issuer = TrustedIssuer.test
        issuer.scopePrefix = "orders/"
        let token = try verified(TestToken.good.with("scope", #""openid orders/read orders/ read""#), issuer)
        #expect(token.scopes == ["read", ""])
    }

    @Test(arguments: [
        (",", #""orders:read,orders:write""#, ["orders:read", "orders:write"]),
        (",", #"" orders:read , orders:write,""#, ["orders:read", "orders:write"]),
        (",", #""orders:read orders:write""#, ["orders:read orders:write"]), (",", #"",,""#, []), (",", #""""#, []),
        (";", #""a;b,c""#, ["a", "b,c"]), ("|", #""a|b""#, ["a", "b"]), (" ", #""a,b c""#, ["a,b", "c"]),
        (",", #"["a,b","c"]"#, ["a,b", "c"]), (",", "7", []),
    ])
    func `scopes in one text are split at the issuer's separator`(
        _ separator: String, _ scope: String, _ expected: [String]
    ) throws {
        var issuer = TrustedIssuer.test
        issuer.scopeSeparator = try #require(WordSeparator(separator))
        #expect(try verified(TestToken.good.with("scope", scope), issuer).scopes == expected)
        let claims = try ClaimsSet(parsing: Array(#"{"scope":\#(scope)}"#.utf8).span)
        for word in ["orders:read", "orders:write", "orders", "a", "b", "c", "b,c", "a,b", "", " "] {
            let test = TokenTest.first(issuer.scopeClaims, .words([.string(word)], prefix: "", issuer.scopeSeparator))
            #expect(test.holds(for: claims) == expected.contains(word), "\(word)")
        }
    }

    @Test(arguments: ["", ", ", "a", "\t", "é", "::"])
    func `only four signs separate scopes`(_ text: String) {
        #expect(WordSeparator(text) == nil)
    }

    @Test func `roles are read from the elements of an array`() throws {
        var issuer = TrustedIssuer.test
        issuer.roleClaims = [RoleClaim(try ClaimPath("/authorities/*/authority", permitsElements: true))]
        let claim = #"[{"authority":"a"},{"authority":["b",7]},{"x":"c"},"d"]"#
        #expect(try verified(TestToken.good.with("authorities", claim), issuer).roles == ["a", "b"])
    }

    @Test func `roles are read from arrays and from member names`() throws {
        var issuer = TrustedIssuer.test
        issuer.roleClaims = [
            RoleClaim(Self.path("roles")), RoleClaim(Self.path("granted"), .memberNames(grantedIn: ["1"])),
            RoleClaim(Self.path("all"), .memberNames(grantedIn: nil)),
        ]
        let token = TestToken.good.with("roles", #"["a",7]"#).with("granted", #"{"b":{"1":"x"},"c":{"2":"x"}}"#).with(
            "all", #"{"d":{}}"#)
        #expect(try verified(token, issuer).roles == ["a", "b", "d"])
    }

    @Test func `an organization may be read from the audience`() throws {
        var issuer = TrustedIssuer.test
        issuer.organizationAudiencePrefix = "ap"
        #expect(try verified(TestToken.good, issuer).organization == "i")
        #expect(try verified(TestToken.good.with("organization_id", #""o""#), issuer).organization == "o")
    }
}
