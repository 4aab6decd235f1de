import AsyncHTTPClient
import Foundation
import JOSESigning
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// Gateways that share denials through a real Redis server, which crashes, restarts and loses its data.
@Suite(.serialized, .enabled(if: RedisProgram.isThere, "redis-server is not installed"))
struct SharedDenialsEndToEndTests {
    private static let operatorToken = "0123456789abcdef0123456789abcdef"

    /// A folder for several gateways with the same configuration, except for their state directories.
    private final class Stand: Sendable {
        private let folder: TemporaryFolder
        let storePort: Int
        private let upstream: String

        init(upstream: String) throws {
            self.upstream = upstream
            storePort = try FreePort.find()
            folder = try TemporaryFolder()
            for (name, text) in [
                ("token", operatorToken), ("secret", "0123456789abcdef0123456789abcdef"),
                ("keys.json", SigningKey.jwkSetJSON([TestKeys.ec])),
            ] {
                try folder.write(text, to: name)
            }
        }

        private func path(_ name: String) -> String { folder.path(name) }

        func text(_ node: String) -> String {
            """
            state_directory: "\(path(node))"
            shared_state: {url: "redis://127.0.0.1:\(storePort)", nodes: 2, secret_file: "\(path("secret"))"}
            listen: 127.0.0.1:0
            admin: {address: "127.0.0.1:0", token_file: "\(path("token"))"}
            event_loops: 2
            timeouts: {drain: 1s}
            issuers:
              logto: {issuer: "https://id.example", token_type: at+jwt, jwks_file: "\(path("keys.json"))"}
            resources:
              orders:
                at: [/]
                issuers: [logto]
                upstream: \(upstream)
                rules: {GET /**: authenticated}

            """
        }

        func token(_ subject: String) -> String {
            let now = Int(Date().timeIntervalSince1970)
            return TestToken.good.with("iss", #""https://id.example""#).with("aud", #""orders""#).with(
                "sub", "\"\(subject)\""
            )
            .with("iat", "\(now - 10)").with("exp", "\(now + 600)").signed(by: TestKeys.ec)
        }
    }

    /// Adds an entry about a subject, or removes those about it.
    private static func tell(_ gateway: ServedFile, _ subject: String, remove: Bool = false) async throws -> Int {
        var request = HTTPClientRequest(
            url: "http://127.0.0.1:\(gateway.adminPort)/api/denials\(remove ? "/remove" : "")")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(operatorToken)")
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: #"{"issuer":"logto","sub":"\#(subject)","note":"OPS-1"}"#))
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        _ = try await answer.body.collect(upTo: 1 << 20)
        return Int(answer.status.code)
    }

    private static func list(of gateway: ServedFile) async throws -> String {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(gateway.adminPort)/api/denials")
        request.headers.add(name: "Authorization", value: "Bearer \(operatorToken)")
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        return String(buffer: try await answer.body.collect(upTo: 1 << 20))
    }

    private static func answers(_ gateway: ServedFile, _ status: Int, to token: String) async throws -> Bool {
        try await BearwardProcess.wait { try await gateway.ask("/x", token: token).status == status }
    }

    private static func readiness(_ gateway: ServedFile, has text: String) async throws -> Bool {
        try await BearwardProcess.wait { try await gateway.administration("/readyz").body.contains(text) }
    }

    @Test
    func `gateways share denials, even if the store is down or loses its data, until one gateway removes them`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let stand = try Stand(upstream: upstream.url)
        var store = try RedisProgram(port: stand.storePort)
        let (one, other) = (
            try await ServedFile.start(stand.text("one")), try await ServedFile.start(stand.text("other"))
        )
        for gateway in [one, other] {
            #expect(try await Self.readiness(gateway, has: #""denials":{"ready":true,"age_seconds":0}"#))
        }
        let (first, second) = (stand.token("u1"), stand.token("u2"))
        for gateway in [one, other] { #expect(try await Self.answers(gateway, 200, to: first)) }
        let began = ContinuousClock.now
        #expect(try await Self.tell(one, "u1") == 200)
        #expect(try await one.ask("/x", token: first).status == 401)
        #expect(try await Self.answers(other, 401, to: first))
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(try await Self.list(of: other).contains(#""sub":"u1","expires":"#))
        #expect(try await Self.list(of: other).contains(#""note":"OPS-1""#), "notes are shared")

        // The store is down: a new denial applies here at once, but is not confirmed.
        store.kill()
        #expect(try await Self.readiness(other, has: #""last_error":"#))
        #expect(try await Self.tell(one, "u2") == 503)
        #expect(try await one.ask("/x", token: second).status == 401)
        for gateway in [one, other] { #expect(try await gateway.ask("/x", token: first).status == 401) }
        #expect(try await other.ask("/x", token: second).status == 200)
        #expect(try await other.administration("/readyz").status == 200)
        let newcomer = try await ServedFile.start(stand.text("newcomer"))
        #expect(try await Self.readiness(newcomer, has: #""denials":{"ready":false,"last_error":"#))
        #expect(try await newcomer.administration("/readyz").status == 503)

        // The store is back without data: gateways that know the denials store them again, and all gateways get all of
        // them.
        store = try RedisProgram(port: stand.storePort)
        for gateway in [other, newcomer] {
            #expect(try await Self.answers(gateway, 401, to: second))
            #expect(try await Self.answers(gateway, 401, to: first))
        }
        #expect(try await BearwardProcess.wait { try await newcomer.administration("/readyz").status == 200 })
        #expect(try await Self.tell(newcomer, "u1", remove: true) == 200)
        for gateway in [one, other, newcomer] { #expect(try await Self.answers(gateway, 200, to: first)) }
        await one.stop()

        // A denial removed while a gateway was down does not come back with that gateway.
        #expect(try await Self.tell(other, "u2", remove: true) == 200)
        let returned = try await ServedFile.start(stand.text("one"))
        #expect(try await returned.ask("/x", token: second).status == 200)
        #expect(try await Self.answers(newcomer, 200, to: second))
        for gateway in [other, newcomer, returned] { await gateway.stop() }
        store.kill()
        await upstream.stop()
    }
}
