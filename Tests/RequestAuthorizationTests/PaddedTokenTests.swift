import AccessControl
import HTTPMessages
import JOSE
import KeySets
import RequestAuthorization
import TestSupport
import Testing
import TokenIntrospection
import TokenVerification

/// Tokens with padding, at resources that accept such an issuer and at others; each also with a token cache.
@Suite struct PaddedTokenTests {
    typealias Fixture = AuthorizerFixture

    private static let token = TestToken(
        header: ["signer": #""arn:mine""#, "iss": #""https://iss.example""#, "exp": "1790003600"],
        claims: ["iss": #""https://iss.example""#, "sub": #""user-1""#, "exp": "1790003600", "scope": #""read""#])

    private static func balancer(_ issuer: inout TrustedIssuer) {
        issuer.tokenType = .any
        issuer.signerRule = SignerRule(signers: ["arn:mine"], issuers: ["https://iss.example"])
        issuer.audience = .signer
        issuer.padding = .accepted
    }

    private static func told(
        _ token: String, _ fixture: Fixture, line: String = "GET /shop/me HTTP/1.1"
    ) throws -> (verdict: String, detail: String) {
        let request = try Fixture.request(line, fields: ["Authorization: Bearer \(token)"])
        let outcome = fixture.outcome(request)
        let verdict =
            switch outcome {
            case .forward(_, let facts): facts.isAuthenticated ? "known" : "nobody"
            case .reject(let rejection, _): rejection.reason.label
            case .wait(.token(.introspection), _): "asks"
            default: "?"
            }
        return (verdict, Fixture.detail(outcome, by: fixture.authorizer, request).trimmingPrefix(" ").description)
    }

    @Test func `both forms of a token are accepted, cached and uncached`() throws {
        let fixture = try Fixture(rules: Fixture.tokenRules, issuer: Self.balancer)
        for token in [Self.token.signed(by: TestKeys.ec), Self.token.padded(by: TestKeys.ec)] {
            #expect(try Self.told(token, fixture).verdict == "known")
            #expect(try Self.told(token, fixture, line: "GET /shop/write HTTP/1.1").verdict == "insufficient_scope")
        }
    }

    @Test func `an issuer that writes no padding refuses it, and the detail says so`() throws {
        let fixture = try Fixture(rules: Fixture.tokenRules)
        let told = try Self.told(TestToken.good.padded(by: TestKeys.ec), fixture)
        #expect(told.verdict == "malformed")
        #expect(told.detail.contains("is not base64url: padding at byte "), "\(told.detail)")
    }

    @Test(arguments: [
        (0, "part 1 is not base64url: it has 3 `=` behind"), (1, "part 2 is not base64url: it has 3 `=` behind"),
        (2, "part 3 is not base64url: it has 3 `=` behind"),
    ])
    func `too much padding is malformed, and the detail names the part`(part: Int, detail: String) throws {
        let fixture = try Fixture(rules: Fixture.tokenRules, issuer: Self.balancer)
        var parts = Self.token.padded(by: TestKeys.ec).split(separator: ".").map { $0.filter { $0 != "=" } }
        parts[part] += "==="
        let told = try Self.told(parts.joined(separator: "."), fixture)
        #expect(told.verdict == "malformed")
        #expect(told.detail.hasPrefix(detail), "\(told.detail)")
    }

    @Test func `wrong header members are refused with their value in the detail`() throws {
        let fixture = try Fixture(
            rules: Fixture.tokenRules,
            issuer: { issuer in
                Self.balancer(&issuer)
                issuer.clients = ["web"]
            })
        let good = Self.token.withHeader("client", #""web""#)
        let cases = [
            (
                good.withHeader("signer", #""arn:yours""#), "signer_not_allowed",
                #"signer in the header is "arn:yours"; accepted: arn:mine"#
            ),
            (
                good.withHeader("signer", TestToken.absent), "signer_not_allowed",
                "signer in the header is missing; accepted: arn:mine"
            ),
            (
                good.withHeader("iss", #""x""#), "issuer_mismatch",
                #"iss in the header is "x"; accepted: https://iss.example"#
            ),
            (good.withHeader("client", #""x""#), "client_not_allowed", #"client in the header is "x"; accepted: web"#),
        ]
        for (token, verdict, detail) in cases {
            let told = try Self.told(token.padded(by: TestKeys.ec), fixture)
            #expect(told.verdict == verdict)
            #expect(told.detail == detail)
        }
        #expect(try Self.told(good.padded(by: TestKeys.ec), fixture).verdict == "known")
    }

    /// A resource that accepts a balancer and an ordinary issuer, of which opaque tokens are asked about.
    private static func mixed(introspection: IntrospectionStore?) throws -> RequestAuthorizer {
        var (balancer, other) = (
            TrustedIssuer(name: "alb", identifier: "https://iss.example", algorithms: [.es256], tokenType: .any),
            TrustedIssuer(name: "main", identifier: "https://other.example", algorithms: [.es256], tokenType: .any)
        )
        Self.balancer(&balancer)
        if introspection != nil { other.opaqueTokens = OpaqueTokenRule(clients: []) }
        let base = try Fixture(rules: Fixture.tokenRules)
        var shop = try #require(base.authorizer.resources[0])
        shop.issuers = [AcceptedIssuer(issuer: 0, audiences: ["api"]), AcceptedIssuer(issuer: 1, audiences: ["api"])]
        return try RequestAuthorizer(
            resources: [shop],
            issuers: [
                IssuerKeyStores(issuer: balancer, stores: [base.store]),
                IssuerKeyStores(issuer: other, stores: [base.store], introspection: introspection),
            ],
            digestKey: TokenDigestKey())
    }

    private static func verdict(_ token: String, _ authorizer: RequestAuthorizer) throws -> String {
        var request = try Fixture.request("GET /shop/me HTTP/1.1", fields: ["Authorization: Bearer \(token)"])
        return switch authorizer.authorize(&request, at: NumericDate(seconds: TestToken.now)) {
        case .forward(_, let facts): facts.isAuthenticated ? "known" : "nobody"
        case .reject(let rejection, _): rejection.reason.label
        case .wait(.token(.introspection), _): "asks"
        default: "?"
        }
    }

    @Test func `beside another issuer, padding is accepted of the balancer's tokens alone`() throws {
        let other = TestToken.good.with("iss", #""https://other.example""#)
        let plain = try Self.mixed(introspection: nil)
        #expect(try Self.verdict(other.signed(by: TestKeys.ec), plain) == "known")
        #expect(try Self.verdict(other.padded(by: TestKeys.ec), plain) == "malformed")
        #expect(try Self.verdict(Self.token.padded(by: TestKeys.ec), plain) == "known")
        let asking = try Self.mixed(introspection: IntrospectionStore())
        #expect(try Self.verdict(other.padded(by: TestKeys.ec), asking) == "asks")
        #expect(
            try Self.verdict(other.with("iss", #""https://third.example""#).padded(by: TestKeys.ec), asking) == "asks")
        #expect(try Self.verdict(Self.token.padded(by: TestKeys.ec), asking) == "known")
    }
}
