import TestSupport
import Testing

@testable import TokenVerification

@Suite struct IntrospectionJudgementTests {
    private static var issuer: TrustedIssuer {
        var issuer = TrustedIssuer.test
        issuer.opaqueTokens = OpaqueTokenRule(clients: ["app-1"])
        return issuer
    }

    private func verdict(_ json: String, _ issuer: TrustedIssuer = Self.issuer) throws -> TokenRejection? {
        let bytes = Array(json.utf8)
        let answer = try ClaimsSet(parsing: bytes.span)
        do throws(TokenRejection) {
            _ = try TokenVerifier(issuer: issuer).judgeIntrospection(answer, audiences: ["api"], at: NumericDate(seconds: TestToken.now))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (#"{"active":true,"aud":"api"}"#, TokenRejection?.none),
        (#"{"active":true,"aud":["else","api"],"client_id":"x"}"#, nil),
        (#"{"active":true,"client_id":"app-1"}"#, nil),
        (#"{"active":true,"client_id":"app-2"}"#, .audienceMismatch),
        (#"{"active":true}"#, .audienceMismatch),
        (#"{"active":true,"aud":"else","client_id":"app-1"}"#, .audienceMismatch),
        (#"{"active":true,"aud":null,"client_id":"app-1"}"#, .audienceMismatch),
        (#"{"active":"true","aud":"api"}"#, .inactive),
        (#"{"active":1,"aud":"api"}"#, .inactive),
        (#"{"active":false,"aud":"api"}"#, .inactive),
        (#"{"aud":"api"}"#, .inactive),
        (#"{"active":true,"aud":"api","iss":"https://iss.example"}"#, nil),
        (#"{"active":true,"aud":"api","iss":"https://else.example"}"#, .issuerMismatch),
        (#"{"active":true,"aud":"api","iss":7}"#, .issuerMismatch),
        (#"{"active":true,"aud":"api","exp":1790000541}"#, nil),
        (#"{"active":true,"aud":"api","exp":1790000540}"#, .expired),
        (#"{"active":true,"aud":"api","exp":"soon"}"#, .claimInvalid),
        (#"{"active":true,"aud":"api","nbf":1790000661}"#, .notYetValid),
        (#"{"active":true,"aud":"api","token_type":"bearer"}"#, nil),
        (#"{"active":true,"aud":"api","token_type":"DPoP"}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","token_type":"refresh_token"}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","cnf":{"jkt":"x"}}"#, .boundToken),
        (#"{"active":true,"aud":"api","sub":""}"#, .subjectInvalid),
    ])
    func `an answer opens nothing that a token would not`(_ json: String, _ expected: TokenRejection?) throws {
        #expect(try verdict(json) == expected)
    }

    @Test func `the issuer's clients count here too`() throws {
        var issuer = Self.issuer
        issuer.clients = ["app-9"]
        #expect(try verdict(#"{"active":true,"aud":"api","client_id":"app-1"}"#, issuer) == .clientNotAllowed)
    }

    @Test func `an issuer that is not to be asked accepts no answer`() throws {
        #expect(try verdict(#"{"active":true,"aud":"api"}"#, .test) == .opaqueNotSupported)
    }

    @Test(arguments: [
        (#"{"active":true,"aud":"api","kind":"access"}"#, TokenRejection?.none), (#"{"active":true,"aud":"api"}"#, nil),
        (#"{"active":true,"aud":"api","kind":"id"}"#, .notAccessToken),
    ])
    func `what the issuer's access tokens must say is judged where the answer says it`(_ json: String, _ expected: TokenRejection?) throws {
        var issuer = Self.issuer
        issuer.tokenType = .claims([.oneOf(ClaimPath(member: "kind"), [.string("access")]), .some([ClaimPath(member: "azp")])])
        #expect(try verdict(json, issuer) == expected)
    }

    @Test func `the longest lifetime bounds opaque tokens too`() throws {
        var issuer = Self.issuer
        issuer.maxLifetime = .seconds(3600)
        #expect(try verdict(#"{"active":true,"aud":"api","iat":1790000000,"exp":1790003600}"#, issuer) == nil)
        #expect(try verdict(#"{"active":true,"aud":"api","iat":1790000000,"exp":1791209600}"#, issuer) == .claimInvalid)
        #expect(try verdict(#"{"active":true,"aud":"api"}"#, issuer) == .claimInvalid)
    }

    @Test func `no answer stands in for what only a signed token proves`() throws {
        var issuer = Self.issuer
        issuer.directory = DirectoryRule(allowed: ["5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"])
        #expect(try verdict(#"{"active":true,"aud":"api"}"#, issuer) == .opaqueNotSupported)
        issuer = Self.issuer
        issuer.keyBinding = .policy(PolicyRule(claims: [ClaimPath(member: "tfp")], policies: ["a"]))
        #expect(try verdict(#"{"active":true,"aud":"api","tfp":"a"}"#, issuer) == .opaqueNotSupported)
    }
}
