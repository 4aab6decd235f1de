import JOSE
import JOSESigning
import TestSupport
import Testing
import TokenVerification

/// Tokens whose header names the proxy that signed them.
@Suite struct SignerRuleTests {
    private static let signer =
        "arn:aws:elasticloadbalancing:eu-north-1:441100223344:loadbalancer/app/shop/50dc6c495c0c9188"
    private static let token = TestToken(
        header: [
            "signer": "\"\(signer)\"", "iss": #""https://iss.example""#, "client": #""web""#, "exp": "1790003600",
        ],
        claims: ["iss": #""https://iss.example""#, "sub": #""user-1""#, "exp": "1790003600"])

    private static func verifier(_ configure: (inout TrustedIssuer) -> Void = { _ in }) -> TokenVerifier {
        var issuer = TrustedIssuer(
            name: "alb", identifier: "https://iss.example", algorithms: [.es256], tokenType: .any)
        issuer.signerRule = SignerRule(signers: ["arn:other", signer], issuers: ["https://iss.example"])
        issuer.padding = .accepted
        issuer.audience = .signer
        issuer.clients = ["web"]
        issuer.clientClaims = []
        configure(&issuer)
        return TokenVerifier(issuer: issuer)
    }

    private static func outcome(_ token: String, by verifier: TokenVerifier = verifier(), keys: KeySet = TestKeys.set)
        -> TokenRejection?
    {
        do throws(TokenRefusal) {
            _ = try verifier.verify(
                Array(token.utf8).span, keys: keys, audiences: ["api"], at: NumericDate(seconds: TestToken.now))
            return nil
        } catch {
            return error.rejection
        }
    }

    @Test func `a token is accepted with padding and without`() throws {
        #expect(Self.outcome(Self.token.signed(by: TestKeys.ec)) == nil)
        #expect(Self.outcome(Self.token.padded(by: TestKeys.ec)) == nil)
    }

    @Test func `padding that the signature does not cover, or covers and misses, invalidates it`() throws {
        let padded = Self.token.padded(by: TestKeys.ec)
        let plain = padded.split(separator: ".").map { $0.filter { $0 != "=" } }.joined(separator: ".")
        #expect(plain != padded)
        #expect(Self.outcome(plain) == .badSignature)
    }

    @Test func `another issuer's padded token is refused as malformed`() throws {
        let verifier = Self.verifier { $0.padding = .refused }
        #expect(Self.outcome(Self.token.padded(by: TestKeys.ec), by: verifier) == .malformed)
        #expect(Self.outcome(Self.token.signed(by: TestKeys.ec), by: verifier) == nil)
    }

    @Test(arguments: [
        ("signer", #""arn:aws:elasticloadbalancing:eu-north-1:441100223344:loadbalancer/app/shop/50dc6c495c0c9189""#),
        ("signer", #""\#(signer) ""#), ("signer", #""\#(signer.uppercased())""#), ("signer", #"["\#(signer)"]"#),
        ("signer", "null"), ("signer", TestToken.absent), ("signer", #""*""#),
    ])
    func `a signer that is not listed, byte for byte, is refused`(member: String, json: String) {
        #expect(Self.outcome(Self.token.withHeader(member, json).signed(by: TestKeys.ec)) == .signerNotAllowed)
    }

    @Test func `a signer in the claims counts for nothing`() {
        let token = Self.token.withHeader("signer", TestToken.absent).with("signer", "\"\(Self.signer)\"")
        #expect(Self.outcome(token.signed(by: TestKeys.ec)) == .signerNotAllowed)
    }

    @Test(arguments: [#""https://other.example""#, #""https://iss.example/""#, TestToken.absent, "1"])
    func `the header's iss must be the claims'`(json: String) {
        #expect(Self.outcome(Self.token.withHeader("iss", json).signed(by: TestKeys.ec)) == .issuerMismatch)
    }

    @Test func `the claims' iss must be the header's`() {
        #expect(
            Self.outcome(Self.token.with("iss", #""https://other.example""#).signed(by: TestKeys.ec)) == .issuerMismatch
        )
        #expect(Self.outcome(Self.token.with("iss", nil).signed(by: TestKeys.ec)) == .issuerMismatch)
    }

    @Test(arguments: [#""other""#, TestToken.absent, #"["web"]"#])
    func `clients lists the client that the header names`(json: String) {
        let token = Self.token.withHeader("client", json).signed(by: TestKeys.ec)
        #expect(Self.outcome(token) == .clientNotAllowed)
        #expect(Self.outcome(token, by: Self.verifier { $0.clients = nil }) == nil)
    }

    @Test(arguments: [
        ("1790003600", nil), ("1790003600.0", nil), (TestToken.absent, nil),
        ("1790003599", TokenRejection.claimInvalid),
        ("1790009999", .claimInvalid), (#""1790003600""#, .claimInvalid), ("null", .claimInvalid),
    ])
    func `exp of the header must be that of the claims`(json: String, expected: TokenRejection?) {
        #expect(Self.outcome(Self.token.withHeader("exp", json).signed(by: TestKeys.ec)) == expected)
    }

    @Test func `an expired token is expired, whatever the header says`() {
        let token = Self.token.with("exp", "1790000100").withHeader("exp", "1790009999")
        #expect(Self.outcome(token.signed(by: TestKeys.ec)) == .expired)
        #expect(Self.outcome(Self.token.with("exp", nil).signed(by: TestKeys.ec)) == .claimInvalid)
    }

    @Test(arguments: ["\"crit\":[\"signer\"]", "\"b64\":false"])
    func `members that are never supported stay refused`(member: String) {
        let parts = member.split(separator: ":", maxSplits: 1).map { String($0) }
        let name = String(parts[0].dropFirst().dropLast())
        #expect(Self.outcome(Self.token.withHeader(name, parts[1]).signed(by: TestKeys.ec)) == .unsupportedHeader)
    }

    @Test func `another algorithm is refused before the signer is looked at`() throws {
        let key = try SigningKey.generate(.es384, keyID: "e1")
        let token = Self.token.withHeader("signer", #""arn:none""#)
        #expect(Self.outcome(token.signed(by: key), keys: TestKeys.keySet([key])) == .algorithmNotAllowed)
        #expect(Self.outcome(token.withHeader("alg", #""none""#).signed(by: TestKeys.ec)) == .algorithmNotAllowed)
    }

    @Test func `aud is not read`() {
        for aud in [#""other""#, "[]", "1", #"["web"]"#] {
            #expect(Self.outcome(Self.token.with("aud", aud).signed(by: TestKeys.ec)) == nil)
        }
    }

    @Test func `a header with exp is not cached, since each token has another`() throws {
        let headers = KnownHeaders()
        for (header, count) in [("exp", 0), ("x", 1)] {
            let bytes = Array(
                Self.token.withHeader("exp", TestToken.absent).withHeader(header, "1").signed(by: TestKeys.ec).utf8)
            headers.keep(headerOf: try UnverifiedToken(bytes.span), bytes.span)
            #expect(headers.count == count)
        }
    }
}
