import DevelopmentIssuer
import Foundation

/// A development issuer behind a counting relay, an upstream, and the real gateway between them and a client.
struct KeyLifeFixture {
    let issuer: AuthorizationServer
    let relay: CountingRelay
    let upstream: LoopbackServer
    let gateway: ServedFile
    let file: GatewayText

    private static let keys = "/jwks"

    /// Starts issuer, relay, upstream and gateway.
    ///
    /// - Parameter change: changes to the gateway's file.
    static func start(_ change: (inout GatewayText) -> Void = { _ in }) async throws -> KeyLifeFixture {
        let issuer = try await AuthorizationServer.start(algorithm: .es256)
        let relay = try await CountingRelay.start(before: issuer.issuer)
        let upstream = try await LoopbackServer.upstream()
        var file = GatewayText.generic(issuer.issuer, keys: relay.url(keys), upstream: upstream.url)
        change(&file)
        let gateway = try await ServedFile.start(file.text)
        return KeyLifeFixture(issuer: issuer, relay: relay, upstream: upstream, gateway: gateway, file: file)
    }

    /// Number of requests for the key set.
    var fetches: Int { relay.count(of: Self.keys) }

    func token(audience: String = GatewayText.audience, lifetime: Duration = .seconds(600), claims: String? = nil)
        throws -> String
    {
        try issuer.mint(
            TokenRequest(
                client: "app-1", subject: "user-1", audiences: [audience], scopes: ["read"], lifetime: lifetime,
                extraClaims: claims))
    }

    /// A token of this issuer that names an unknown key.
    func stray() throws -> String {
        StrayToken.made(of: try token())
    }

    func stop() async {
        await gateway.stop()
        await relay.stop()
        await upstream.stop()
        await issuer.stop()
    }
}
