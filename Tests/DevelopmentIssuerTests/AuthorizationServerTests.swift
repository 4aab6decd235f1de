import DevelopmentIssuer
import JOSE
import StrictJSON
import Testing

struct AuthorizationServerTests {
    // MARK: Tokens

    @Test(arguments: DevelopmentAlgorithm.allCases)
    func `a minted token verifies with the published key set`(algorithm: DevelopmentAlgorithm) async throws {
        let server = try await AuthorizationServer.start(algorithm: algorithm)
        let token = try ReadToken.reading(try server.mint(TokenRequest(audiences: ["https://api.example"])))
        #expect(token.header.algorithmName == algorithm.rawValue)
        #expect(try token.verdict(in: try await .published(by: server.issuer)) == .valid)
        await server.stop()
    }

    @Test func `a token has the requested claims and no others`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let request = TokenRequest(
            client: "back-office", subject: "ada", audiences: ["https://api.example"],
            scopes: ["orders:read", "orders:write"],
            lifetime: .seconds(300),
        )
        let token = try ReadToken.reading(try server.mint(request))
        #expect(token.header.type == "at+jwt")
        #expect(token.claims.members.map(\.name) == ["iss", "sub", "aud", "exp", "iat", "jti", "client_id", "scope"])
        #expect(token.claims["iss"]?.string == server.issuer)
        #expect(token.claims["sub"]?.string == "ada")
        #expect(token.claims["aud"]?.string == "https://api.example")
        #expect(token.claims["client_id"]?.string == "back-office")
        #expect(token.claims["scope"]?.string == "orders:read orders:write")
        let issuedAt = try #require(token.claims["iat"]?.integer)
        #expect(token.claims["exp"]?.integer == issuedAt + 300)
        await server.stop()
    }

    @Test func `without a subject the client becomes the subject, and several audiences become an array`() async throws
    {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let token = try ReadToken.reading(try server.mint(TokenRequest(client: "cron", audiences: ["a", "b"])))
        #expect(token.claims["sub"]?.string == "cron")
        #expect(token.claims["aud"]?.elements.map(\.string) == ["a", "b"])
        #expect(token.claims["scope"] == nil)
        await server.stop()
    }

    @Test func `a negative lifetime makes an expired token that was issued earlier`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let token = try ReadToken.reading(try server.mint(TokenRequest(lifetime: .seconds(-120))))
        let expiresAt = try #require(token.claims["exp"]?.integer)
        #expect(token.claims["iat"]?.integer == expiresAt - 3600)
        await server.stop()
    }

    @Test func `extra claims replace standard ones, and omitted claims are absent`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let request = TokenRequest(
            audiences: ["a"], extraClaims: #"{"exp":"soon","roles":["admin"]}"#, omittedClaims: ["iat", "sub"],
            type: nil,
        )
        let token = try ReadToken.reading(try server.mint(request))
        #expect(token.header.type == nil)
        #expect(token.claims.members.map(\.name) == ["iss", "aud", "jti", "client_id", "exp", "roles"])
        #expect(token.claims["exp"]?.string == "soon")
        await server.stop()
    }

    @Test(arguments: ["", "[]", "7", "{", #"{"a":1,"a":2}"#])
    func `extra claims that are no JSON object are refused`(claims: String) async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        #expect(throws: MintingFailure.claimsNotJSONObject) { try server.mint(TokenRequest(extraClaims: claims)) }
        await server.stop()
    }

    @Test func `an impostor's token has a known key ID and a bad signature, and an unpublished key has an unknown ID`()
        async throws
    {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let keys = try await KeySet.published(by: server.issuer)
        #expect(try ReadToken.reading(try server.mint(TokenRequest(signer: .impostor))).verdict(in: keys) == .invalid)
        #expect(try ReadToken.reading(try server.mint(TokenRequest(signer: .unpublishedKey))).verdict(in: keys) == nil)
        await server.stop()
    }

    @Test func `a key for another algorithm is created on request and published`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let token = try ReadToken.reading(try server.mint(TokenRequest(algorithm: .es384)))
        let keys = try await KeySet.published(by: server.issuer)
        #expect(keys.keys.count == 2)
        #expect(try token.verdict(in: keys) == .valid)
        await server.stop()
    }

    // MARK: Rotation

    @Test func `tokens from before and after a rotation verify`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let old = try ReadToken.reading(try server.mint(TokenRequest()))
        let keyID = try server.rotate()
        let new = try ReadToken.reading(try server.mint(TokenRequest()))
        let keys = try await KeySet.published(by: server.issuer)
        #expect(new.header.keyID == keyID)
        #expect(old.header.keyID != keyID)
        #expect(try new.verdict(in: keys) == .valid)
        #expect(try old.verdict(in: keys) == .valid)
        await server.stop()
    }

    @Test func `a rotation that drops old keys publishes only the new key`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let old = try ReadToken.reading(try server.mint(TokenRequest()))
        try server.rotate()
        let keyID = try server.rotate(.areDropped)
        let keys = try await KeySet.published(by: server.issuer)
        #expect(keys.keys.map(\.keyID) == [keyID])
        #expect(try old.verdict(in: keys) == nil)
        await server.stop()
    }

    @Test func `at most sixteen earlier keys stay published`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        for _ in 0..<16 { try server.rotate() }
        #expect(try await KeySet.published(by: server.issuer).keys.count == 17)
        try server.rotate()
        #expect(try await KeySet.published(by: server.issuer).keys.count == 17)
        await server.stop()
    }

    // MARK: Life

    @Test func `an address that is in use is reported`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let port = try #require(server.issuer.split(separator: ":").last.flatMap { port in Int(port) })
        let address = ServerAddress(host: "127.0.0.1", port: port)
        await #expect(throws: ServerStartFailure.addressInUse(address)) { _ = try await SampleShop.start(on: address) }
        await server.stop()
    }

    @Test func `a stopped server frees its port`() async throws {
        let server = try await AuthorizationServer.start(algorithm: .es256)
        let port = try #require(server.issuer.split(separator: ":").last.flatMap { port in Int(port) })
        _ = try await Answer.get(server.issuer + "/jwks")
        await server.stop()
        let next = try await SampleShop.start(on: ServerAddress(host: "127.0.0.1", port: port))
        #expect(next.url == server.issuer)
        await next.stop()
    }
}
