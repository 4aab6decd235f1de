import ProviderFixtures
import StrictJSON
import Testing

@testable import DevelopmentIssuer

struct OpaqueTokensTests {
    @Test func `an opaque token has no dots and is known until it expires`() {
        var tokens = OpaqueTokens()
        let token = tokens.issue(Self.claims(client: "app"))
        #expect(token.count == 43)
        #expect(!token.contains("."))
        #expect(tokens.claims(of: token, at: 199)?.client == "app")
        #expect(tokens.claims(of: token, at: 200) == nil)
        #expect(tokens.claims(of: "x", at: 100) == nil)
    }

    @Test func `the oldest opaque token is forgotten when there are too many`() {
        var tokens = OpaqueTokens()
        let first = tokens.issue(Self.claims(client: "first"))
        let second = tokens.issue(Self.claims(client: "second"))
        for _ in 2..<OpaqueTokens.most { _ = tokens.issue(Self.claims(client: "more")) }
        #expect(tokens.claims(of: first, at: 100) != nil)
        _ = tokens.issue(Self.claims(client: "one too many"))
        #expect(tokens.claims(of: first, at: 100) == nil)
        #expect(tokens.claims(of: second, at: 100) != nil)
    }

    @Test func `introspection returns the claims of an issued token`() throws {
        let root = try JSONDocument(parsing: Array(Self.claims(client: "app").introspection.utf8), limits: .document)
            .root
        #expect(
            root.members.map(\.name) == [
                "active", "sub", "client_id", "iat", "exp", "scope", "iss", "aud", "token_type",
            ])
        #expect(root[member: "active"]?.boolean == true)
        #expect(root[member: "scope"]?.string == "openid read")
        #expect(root[member: "aud"]?.string == "https://api.example")
    }

    private static func claims(client: String) -> OpaqueTokenClaims {
        OpaqueTokenClaims(
            issuer: "https://h7k2qd.logto.app/oidc", client: client, subject: "ada", scopes: ["openid", "read"],
            audiences: ["https://api.example"], issuedAt: 100, expiresAt: 200, changes: JSONObjectPatch())
    }
}
