import Foundation
import JOSE
import JOSESigning
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// Tokens that an AWS Application Load Balancer signs, with keys that are fetched one by one.
@Suite(.serialized) struct LoadBalancerTests {
    private static let signer =
        "arn:aws:elasticloadbalancing:eu-north-1:441100223344:loadbalancer/app/shop/50dc6c495c0c9188"
    private static let keyID = "6f1d3a52-8c07-4be9-9a41-d2f0b7e35c18"

    /// A place of keys with one key, a gateway in front of an upstream, and the balancer's key.
    private struct Fixture {
        let key: SigningKey
        let place: LoopbackServer
        let isDown: Switch
        let upstream: LoopbackServer
        let gateway: ServedFile
        let text: String

        static func start(state: String? = nil) async throws -> Fixture {
            let key = try SigningKey.generate(.es256, keyID: keyID)
            let pem = try LoadBalancerTests.pem(of: key)
            let isDown = Switch()
            let place = try await LoopbackServer.start { request in
                if isDown.isOn { return LoopbackReply(status: .serviceUnavailable) }
                guard request.path == "/alb/\(keyID)" else { return LoopbackReply(status: .notFound) }
                return LoopbackReply(body: ByteBuffer(string: pem))
            }
            let upstream = try await LoopbackServer.upstream()
            let text = """
                listen: 127.0.0.1:0
                admin: 127.0.0.1:0
                \(state.map { "state_directory: \($0)" } ?? "# nothing is saved")
                issuers:
                  alb:
                    profile: aws-alb
                    issuer: https://id.kaasik.example/realms/shop
                    signer: \(signer)
                    keys_url: \(place.url)/alb
                resources:
                  orders:
                    at: /orders
                    issuers: [alb]
                    token_header: X-Amzn-Oidc-Data
                    upstream: \(upstream.url)
                    rules: {GET /**: authenticated}

                """
            return Fixture(
                key: key, place: place, isDown: isDown, upstream: upstream, gateway: try await ServedFile.start(text),
                text: text)
        }

        /// A token of the balancer that expires in ten minutes.
        func token(header changes: [String: String] = [:]) -> TestToken {
            let expiration = "\(Int(Date().timeIntervalSince1970) + 600)"
            let issuer = #""https://id.kaasik.example/realms/shop""#
            let header = ["signer": "\"\(signer)\"", "iss": issuer, "client": #""shop-web""#, "exp": expiration]
            return TestToken(
                header: header.merging(changes) { _, changed in changed },
                claims: ["iss": issuer, "sub": #""user-1""#, "exp": expiration])
        }

        func status(_ token: String) async throws -> UInt {
            UInt(try await gateway.ask("/orders/7", field: ("X-Amzn-Oidc-Data", token)).status)
        }

        func stop() async {
            await gateway.stop()
            await place.stop()
            await upstream.stop()
        }
    }

    /// A switch that is off at first.
    private final class Switch: Sendable {
        private let state = Mutex(false)

        var isOn: Bool { state.withLock { $0 } }

        func turnOn() { state.withLock { $0 = true } }
    }

    /// The public key in PEM, as AWS publishes it.
    private static func pem(of key: SigningKey) throws -> String {
        let jwk = try JSONDecoder().decode([String: String].self, from: Data(key.publicJWK.utf8))
        let point = try ["x", "y"].flatMap { try #require(jwk[$0].flatMap { Base64URL.decode($0) }) }
        // SubjectPublicKeyInfo of a point on P-256 (RFC 5480 §2), up to the point.
        let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        let text = Data(prefix + point).base64EncodedString(options: .lineLength64Characters)
        return
            "-----BEGIN PUBLIC KEY-----\n\(text.replacingOccurrences(of: "\r\n", with: "\n"))\n-----END PUBLIC KEY-----\n"
    }

    @Test func `a padded token is let in with a key that was fetched for it, once`() async throws {
        let fixture = try await Fixture.start()
        let readiness = try await fixture.gateway.administration("/readyz")
        #expect(readiness.status == 200 && readiness.body.contains(#""fetched_singly":true"#), "\(readiness.body)")
        #expect(fixture.place.count(of: "/alb/\(Self.keyID)") == 0)
        for _ in 0..<3 {
            #expect(try await fixture.status(fixture.token().padded(by: fixture.key)) == 200)
            #expect(try await fixture.status(fixture.token().signed(by: fixture.key)) == 200)
        }
        #expect(fixture.place.count(of: "/alb/\(Self.keyID)") == 1)
        await fixture.stop()
    }

    @Test func `other signers and keys are refused, and only a UUID is asked about`() async throws {
        let fixture = try await Fixture.start()
        let other = "arn:aws:elasticloadbalancing:eu-north-1:998877665544:loadbalancer/app/shop/50dc6c495c0c9188"
        #expect(
            try await fixture.status(fixture.token(header: ["signer": "\"\(other)\""]).padded(by: fixture.key)) == 401)
        for keyID in [Self.keyID.uppercased(), "../alb/\(Self.keyID)", "\(Self.keyID)?x", "k1"] {
            #expect(
                try await fixture.status(fixture.token(header: ["kid": "\"\(keyID)\""]).padded(by: fixture.key)) == 401)
        }
        #expect(fixture.place.connectionCount == 0)
        let unknown = "00000000-0000-4000-8000-000000000001"
        for _ in 0..<2 {
            #expect(
                try await fixture.status(fixture.token(header: ["kid": "\"\(unknown)\""]).padded(by: fixture.key))
                    == 401)
        }
        #expect(fixture.place.count(of: "/alb/\(unknown)") == 1)
        let forger = try SigningKey.generate(.es256, keyID: Self.keyID)
        #expect(try await fixture.status(fixture.token().padded(by: forger)) == 401)
        await fixture.stop()
    }

    @Test func `without an answer of the keys' place a token is 503, and a saved key serves after a restart`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = folder.path("state")
        let fixture = try await Fixture.start(state: state)
        #expect(try await fixture.status(fixture.token().padded(by: fixture.key)) == 200)
        #expect(
            await BearwardProcess.wait {
                ((try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []).contains { $0.hasSuffix(".json") }
            })
        await fixture.gateway.stop()
        fixture.isDown.turnOn()
        let after = try await ServedFile.start(fixture.text)
        let token = fixture.token().padded(by: fixture.key)
        #expect(try await after.ask("/orders/7", field: ("X-Amzn-Oidc-Data", token)).status == 200)
        let unknown = fixture.token(header: ["kid": #""00000000-0000-4000-8000-000000000001""#]).padded(by: fixture.key)
        #expect(try await after.ask("/orders/7", field: ("X-Amzn-Oidc-Data", unknown)).status == 503)
        await after.stop()
        await fixture.stop()
    }

    @Test func `commands say what is true of such an issuer`() async throws {
        let fixture = try await Fixture.start()
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(fixture.text, to: "bearward.yaml")
        let check = try BearwardProcess(["check", "--online", "--config", file.path])
        #expect(await check.exitStatus() == 0)
        #expect(
            check.standardError.contains(
                "\(fixture.place.url)/alb answers; keys are fetched when a token names one, so none was tried"),
            "\(check.standardError)")
        let token = fixture.token().padded(by: fixture.key)
        let explain = try BearwardProcess([
            "explain", "GET", "http://a/orders/7", "--token", token, "--config", file.path,
        ])
        #expect(await explain.exitStatus() == 0)
        #expect(explain.standardOutput.contains("and so is the signer \(Self.signer)"), "\(explain.standardOutput)")
        let offline = try BearwardProcess([
            "explain", "GET", "http://a/orders/7", "--token", token, "--config", file.path, "--offline",
        ])
        _ = await offline.exitStatus()
        #expect(
            offline.standardError.contains("the keys of alb were not fetched: --offline"), "\(offline.standardError)")
        fixture.isDown.turnOn()
        let down = try BearwardProcess(["check", "--online", "--config", file.path])
        #expect(await down.exitStatus() != 0)
        #expect(down.standardError.contains("answered 503"), "\(down.standardError)")
        await fixture.stop()
    }
}
