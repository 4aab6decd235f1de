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
        do {
            _ = try TokenVerifier(issuer: issuer).judgeIntrospection(
                answer, audiences: ["api"], at: NumericDate(seconds: TestToken.now))
            return nil
        } catch {
            return error.rejection
        }
    }

    @Test(arguments: [
        (#"{"active":true,"aud":"api"}"#, TokenRejection?.none),
        (#"{"active":true,"aud":["else","api"],"client_id":"x"}"#, nil),
        (#"{"active":true,"client_id":"app-1","token_type":"Bearer"}"#, nil),
        (#"{"active":true,"client_id":"app-2","token_type":"Bearer"}"#, .audienceMismatch),
        (#"{"active":true}"#, .audienceMismatch),
        (#"{"active":true,"aud":"else","client_id":"app-1"}"#, .audienceMismatch),
        (#"{"active":true,"aud":null,"client_id":"app-1","token_type":"Bearer"}"#, nil),
        (#"{"active":true,"aud":[],"client_id":"app-1","token_type":"Bearer"}"#, nil),
        (#"{"active":true,"aud":[null],"client_id":"app-1","token_type":"Bearer"}"#, .audienceMismatch),
        (#"{"active":true,"aud":[""],"client_id":"app-1","token_type":"Bearer"}"#, .audienceMismatch),
        (#"{"active":null,"aud":"api"}"#, .inactive),
        (#"{"active":true,"aud":"api","iss":null,"exp":null,"nbf":null,"sub":null,"cnf":null,"typ":null}"#, nil),
        (#"{"active":true,"aud":"api","sub":7,"client_id":8}"#, nil),
        (#"{"active":true,"aud":"api","sub":7.5}"#, .subjectInvalid),
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
        (#"{"active":true,"aud":"api","token_type":null}"#, nil),
        (#"{"active":true,"client_id":"app-1","token_type":null}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","cnf":{"jkt":"x"}}"#, .boundToken),
        (#"{"active":true,"aud":"api","sub":""}"#, .subjectInvalid),
    ])
    func `an introspection response is accepted only if a token with its claims would be`(
        _ json: String, _ expected: TokenRejection?
    ) throws {
        #expect(try verdict(json) == expected)
    }

    /// Responses of real systems for access tokens and for refresh tokens, which have the same scopes and live for
    /// weeks.
    @Test(arguments: [
        // node-oidc-provider, and Logto, which is built on it: a refresh token's response differs only in `token_type`.
        (#"{"active":true,"client_id":"app-1","scope":"read","token_type":"Bearer"}"#, TokenRejection?.none),
        (#"{"active":true,"client_id":"app-1","scope":"read"}"#, .notAccessToken),
        // Duende IdentityServer.
        (#"{"active":true,"client_id":"app-1","scope":"read","token_type":"access_token"}"#, nil),
        (#"{"active":true,"client_id":"app-1","token_type":"urn:ietf:params:oauth:token-type:access_token"}"#, nil),
        (#"{"active":true,"client_id":"app-1","token_type":"BEARER"}"#, nil),
        (#"{"active":true,"client_id":"app-1","token_type":""}"#, .notAccessToken),
        (#"{"active":true,"client_id":"app-1","token_type":"refresh_token"}"#, .notAccessToken),
        (#"{"active":true,"client_id":"app-1","token_type":["Bearer"]}"#, .notAccessToken),
        // Ory Hydra.
        (#"{"active":true,"client_id":"app-1","token_type":"Bearer","token_use":"access_token"}"#, nil),
        (#"{"active":true,"aud":["api"],"token_use":"refresh_token"}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","token_use":"id"}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","token_use":"access"}"#, nil),
        // Keycloak.
        (#"{"active":true,"aud":"api","typ":"Bearer","token_type":"Bearer"}"#, nil),
        (#"{"active":true,"aud":"api","typ":"ID","token_type":"Bearer"}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","typ":"Refresh"}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","typ":"Offline"}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","typ":"at+jwt"}"#, nil),
        // Logout and security event tokens.
        (#"{"active":true,"aud":"api","token_type":"Bearer","events":{}}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","events":null}"#, nil),
        // authentik names the client as audience, also for refresh tokens.
        (#"{"active":true,"aud":"api","client_id":"api"}"#, .notAccessToken),
        (#"{"active":true,"aud":"api","client_id":"api","token_type":"Bearer"}"#, nil),
        (#"{"active":true,"aud":"api","client_id":"app-1"}"#, nil),
    ])
    func `a refresh or ID token is refused, even if active`(_ json: String, _ expected: TokenRejection?) throws {
        #expect(try verdict(json) == expected)
    }

    @Test func `the hint tells why a response does not describe an access token`() throws {
        func hint(_ rejection: TokenRejection, _ json: String) throws -> String? {
            let bytes = Array(json.utf8)
            return Self.issuer.hint(for: rejection, ofOpaque: try ClaimsSet(parsing: bytes.span))
        }
        let refresh = #"{"active":true,"client_id":"app-1","scope":"read"}"#
        #expect(try hint(.notAccessToken, refresh)?.contains("refresh tokens") == true)
        #expect(try hint(.notAccessToken, #"{"active":true,"token_type":"DPoP"}"#) == nil)
        #expect(try hint(.notAccessToken, #"{"active":true,"aud":"api","typ":"ID"}"#) == nil)
        #expect(try hint(.audienceMismatch, refresh)?.contains("names no audience") == true)
        #expect(try hint(.audienceMismatch, #"{"active":true,"aud":"else"}"#) == nil)
        #expect(Self.issuer.hint(for: .inactive, ofOpaque: nil) == nil)
    }

    @Test func `the issuer's allowed clients apply to introspection too`() throws {
        var issuer = Self.issuer
        issuer.clients = ["app-9"]
        #expect(try verdict(#"{"active":true,"aud":"api","client_id":"app-1"}"#, issuer) == .clientNotAllowed)
    }

    @Test func `an issuer without introspection accepts no response`() throws {
        #expect(try verdict(#"{"active":true,"aud":"api"}"#, .test) == .opaqueNotSupported)
    }

    @Test(arguments: [
        (#"{"active":true,"aud":"api","kind":"access"}"#, TokenRejection?.none), (#"{"active":true,"aud":"api"}"#, nil),
        (#"{"active":true,"aud":"api","kind":"id"}"#, .notAccessToken),
    ])
    func `required claims of the issuer's access tokens are checked in the response`(
        _ json: String, _ expected: TokenRejection?
    ) throws {
        var issuer = Self.issuer
        issuer.tokenType = .claims([
            .oneOf(ClaimPath(member: "kind"), [.string("access")]), .some([ClaimPath(member: "azp")]),
        ])
        #expect(try verdict(json, issuer) == expected)
    }

    @Test func `the maximum lifetime applies to opaque tokens too`() throws {
        var issuer = Self.issuer
        issuer.maxLifetime = .seconds(3600)
        #expect(try verdict(#"{"active":true,"aud":"api","iat":1790000000,"exp":1790003600}"#, issuer) == nil)
        #expect(try verdict(#"{"active":true,"aud":"api","iat":1790000000,"exp":1791209600}"#, issuer) == .claimInvalid)
        #expect(try verdict(#"{"active":true,"aud":"api"}"#, issuer) == .claimInvalid)
    }

    @Test func `a response cannot replace what only a signed token proves`() throws {
        var issuer = Self.issuer
        issuer.directory = DirectoryRule(allowed: ["5f3c1b7e-2a64-4d0b-9c58-7e1a90b6d412"])
        #expect(try verdict(#"{"active":true,"aud":"api"}"#, issuer) == .opaqueNotSupported)
        issuer = Self.issuer
        issuer.keyBinding = .policy(PolicyRule(claims: [ClaimPath(member: "tfp")], policies: ["a"]))
        #expect(try verdict(#"{"active":true,"aud":"api","tfp":"a"}"#, issuer) == .opaqueNotSupported)
    }
}
