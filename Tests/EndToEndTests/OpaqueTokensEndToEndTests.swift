import DevelopmentIssuer
import Foundation
import NIOHTTP1
import ProviderFixtures
import TestSupport
import Testing

/// Opaque tokens, with the development issuer in Logto's role.
@Suite(.serialized) struct OpaqueTokensEndToEndTests {
    @Test func `an opaque token is introspected once, and an unknown token is refused`() async throws {
        let fixture = try await Fixture.start()
        let token = try fixture.token()
        let answers = try await Load.answers(100, atOnce: 100) { _ in
            try await fixture.gateway.ask("/api/orders", token: token).status
        }
        #expect(answers == [200: 100])
        #expect(fixture.questions == 1)
        let weak = try await fixture.gateway.ask("/api/orders", token: try fixture.token(scopes: ["profile"]))
        #expect(weak.status == 403)
        let unknown = try await fixture.gateway.ask("/api/orders", token: "bm90LWEtdG9rZW4")
        #expect(unknown.status == 401)
        #expect(unknown.fields["WWW-Authenticate"].compactMap { ReceivedChallenge($0)?["error"] } == ["invalid_token"])
        #expect(await fixture.gateway.logHas(lines: 102))
        #expect(fixture.gateway.lastReason == "inactive")
        await fixture.stop()
    }

    @Test func `while introspection fails opaque tokens are 503, and tokens that need no introspection are 200`()
        async throws
    {
        let fixture = try await Fixture.start()
        let token = try fixture.token()
        fixture.relay.die()
        let answer = try await fixture.gateway.ask("/api/orders", token: token)
        #expect(answer.status == 503)
        #expect(answer.fields["Retry-After"].count == 1)
        #expect(!answer.fields.contains(name: "WWW-Authenticate"))
        let signed = try #require(fixture.server.mint(SampleRequest("access"))).token
        #expect(try await fixture.gateway.ask("/api/orders", token: signed).status == 200)
        #expect(await fixture.gateway.logHas(lines: 2))
        #expect(fixture.gateway.logged("introspection_unavailable") == 1)
        fixture.relay.revive()
        #expect(
            await BearwardProcess.wait { (try? await fixture.gateway.ask("/api/orders", token: token).status) == 200 })
        await fixture.stop()
    }

    @Test func `T424 neither the gateway nor its commands print a secret or a token`() async throws {
        let fixture = try await Fixture.start()
        let token = try fixture.token()
        #expect(try await fixture.gateway.ask("/api/orders", token: token).status == 200)
        #expect(try await fixture.gateway.ask("/api/orders", token: token + "x").status == 401)
        let metrics = try await fixture.gateway.administration("/metrics").body
        let readiness = try await fixture.gateway.administration("/readyz").body
        let file = fixture.gateway.directory.appendingPathComponent("bearward.yaml").path
        let check = try BearwardProcess(["check", "--config", file])
        #expect(await check.exitStatus() == 0)
        let explain = try BearwardProcess(
            ["explain", "--config", file, "GET", "/api/orders", "--token", "-"], input: token)
        _ = await explain.exitStatus()
        #expect(await fixture.gateway.logHas(lines: 2))
        let said = [
            metrics, readiness, check.standardOutput, check.standardError, explain.standardOutput,
            explain.standardError,
            fixture.gateway.gateway.standardOutput, fixture.gateway.gateway.standardError,
        ]
        #expect(said.filter { !$0.isEmpty }.count >= 6)
        for text in said {
            #expect(!text.contains("s3cret"))
            #expect(!text.contains(token))
        }
        await fixture.stop()
    }

    struct Fixture {
        let server: ProviderServer
        let relay: CountingRelay
        let upstream: LoopbackServer
        let gateway: ServedFile
        private let folder: TemporaryFolder

        private static let path = "/oidc/token/introspection"

        static func start() async throws -> Fixture {
            let server = try await ProviderServer.start(as: .logto, clientSecret: "s3cret/+ %")
            let relay = try await CountingRelay.start(before: server.url)
            let upstream = try await LoopbackServer.upstream()
            let folder = try TemporaryFolder()
            let secret = try folder.write("s3cret/+ %\n", to: "secret")
            let file = GatewayText(
                issuer: [
                    "profile: logto", "endpoint: https://h7k2qd.logto.app",
                    "jwks_uri: \(server.keySetURL(server.samples.keySets.first?.name ?? "") ?? "")",
                    "opaque: {introspect: {client_id: gateway, client_secret_file: \"\(secret.path)\", "
                        + "endpoint: \"\(relay.url(path))\", clients: [m3xk9v5t2rqd7c1yb8w0h]}}",
                ], upstream: upstream.url)
            return Fixture(
                server: server, relay: relay, upstream: upstream, gateway: try await ServedFile.start(file.text),
                folder: folder)
        }

        /// Number of introspection requests.
        var questions: Int { relay.count(of: Self.path) }

        func token(scopes: [String] = ["read"]) throws -> String {
            try #require(server.mint(SampleRequest("opaque", scopes: scopes))).token
        }

        func stop() async {
            await gateway.stop()
            await relay.stop()
            await upstream.stop()
            await server.stop()
        }
    }
}
