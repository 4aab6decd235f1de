import Foundation
import JOSE
import JOSESigning
import NIOCore
import TestSupport
import Testing

/// Bodies on unusual methods, and bodies in unusual pieces.
@Suite(.serialized) final class ThreatBodyTests {
    @Test func `T234 a body on GET, HEAD, DELETE or OPTIONS is forwarded exactly, and leaves no bytes behind`()
        async throws
    {
        let lab = try await ThreatLab.start()
        let token = lab.tokens.signed(lab.tokens.good.with("aud", #""billing""#))
        for method in ["GET", "HEAD", "DELETE", "OPTIONS"] {
            let head = "\(method) /billing/x HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer \(token)\r\n"
            for body in [
                "Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
            ] {
                let before = lab.requests.count
                let connection = try RawConnection(port: lab.served.port)
                connection.send(Array((head + body).utf8))
                connection.receive { _ in connection.statuses.count == 1 }
                // The next request uses the same connections.
                connection.send(Array("GET /public/after HTTP/1.1\r\nHost: lab.example\r\n\r\n".utf8))
                connection.receive { _ in connection.statuses.count == 2 }
                #expect(connection.statuses == [200, 200], "\(method) \(connection.text)")
                let seen = lab.requests.dropFirst(before)
                #expect(seen.map(\.path) == ["/billing/x", "/public/after"])
                #expect(seen.map { String(buffer: $0.body) } == ["hello", ""])
            }
        }
        await lab.stop()
    }

    @Test(.slow) func `T233 a million chunks of one byte reach the upstream as a million bytes`() async throws {
        let lab = try await ThreatLab.start()
        let head = "POST /orders HTTP/1.1\r\nHost: lab.example\r\nAuthorization: Bearer \(lab.tokens.goodText)\r\n"
        let count = 1_000_000
        let chunks = (0..<count).flatMap { _ in Array("1\r\nx\r\n".utf8) } + Array("0\r\n\r\n".utf8)
        let connection = try RawConnection(port: lab.served.port)
        connection.send(Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8) + chunks)
        connection.receive(atMost: .seconds(60)) { _ in connection.statuses.count == 1 }
        #expect(connection.statuses == [200])
        #expect(lab.requests.last?.body.readableBytes == count)
        await lab.stop()
    }

    @Test func `T402 a thousand unfinished requests of 10 KiB cost less than ten times their size`() async throws {
        let lab = try await ThreatLab.start()
        _ = try lab.ask("GET /public/x HTTP/1.1", [])
        let figures = ProcessFigures(lab.served.gateway)
        let (memory, descriptors) = (figures.residentKiB, figures.descriptors)
        let head = Array(
            ("GET /public/x HTTP/1.1\r\nHost: lab.example\r\n"
                + (0..<20).map { "X-\($0): \(String(repeating: "x", count: 490))\r\n" }
                .joined()).utf8)
        #expect(head.count > 9_900)
        let clients = try (0..<1000).map { _ in try RawConnection(port: lab.served.port) }
        for client in clients { client.send(head) }
        #expect(await BearwardProcess.wait { figures.descriptors >= descriptors + 990 })
        try await Task.sleep(for: .milliseconds(500))
        #expect(figures.residentKiB - memory < 1000 * 100)
        // One connection for each request, and none to another server.
        #expect(figures.descriptors - descriptors <= 1001)
        for client in clients { client.send(Array("\r\n".utf8)) }
        for client in clients {
            client.receive { _ in client.statuses == [200] }
            #expect(client.statuses == [200])
        }
        await lab.stop()
    }

    @Test
    func `T075 T076 T077 T078 a key inside a token is used by no algorithm, and its URLs are never fetched`()
        async throws
    {
        let named = try await LoopbackServer.start { _ in
            LoopbackReply(body: ByteBuffer(string: SigningKey.jwkSetJSON(RivalKeys.all.map(\.attackers))))
        }
        let folder = try TemporaryFolder()
        let keySet = try folder.write(SigningKey.jwkSetJSON(RivalKeys.all.map(\.genuine)), to: "all.json")
        let names = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
        let lab = try await ThreatLab.start { text in
            text.replacing(/jwks_file: "[^"]*", algorithms: \[RS256, ES256\]/) { _ in
                "jwks_file: \"\(keySet.path)\", algorithms: [\(names)]"
            }
        }
        let trials = try RivalKeys.all.flatMap { keys in
            try lab.tokens.good.bringing(keys.attackers, from: named.url).flatMap { members, token in
                [
                    (name: "\(keys) \(members), genuine", token: token.signed(by: keys.genuine), status: "200"),
                    (name: "\(keys) \(members), forged", token: token.signed(by: keys.attackers), status: "401"),
                ]
            }
        }
        for trial in trials {
            let (response, reached) = try lab.ask("GET /orders/1 HTTP/1.1", ["Authorization: Bearer \(trial.token)"])
            #expect(response.hasPrefix("HTTP/1.1 \(trial.status) "), "\(trial.name) \(response.prefix(80))")
            #expect((reached != nil) == (trial.status == "200"), "\(trial.name)")
        }
        #expect(await lab.served.logHas(lines: trials.count))
        #expect(lab.served.logged("bad_signature") == trials.count / 2)
        #expect(named.connectionCount == 0)
        // Proves that a connection would have been counted.
        _ = try RawConnection(port: named.port)
        #expect(await BearwardProcess.wait { named.connectionCount == 1 })
        await lab.stop()
        await named.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func `T366 no fetch is made for an issuer that is not in the file`() async throws {
        let untrustedIssuer = try await LoopbackServer.start { _ in
            LoopbackReply(body: ByteBuffer(string: #"{"keys":[]}"#))
        }
        let fixture = try await KeyLifeFixture.start()
        // The fetch of the start may still be in progress.
        #expect(await BearwardProcess.wait { fixture.fetches == 1 })
        let before = fixture.fetches
        let claims = #"{"iss":"\#(untrustedIssuer.url)","jku":"\#(untrustedIssuer.url)/jwks"}"#
        for _ in 0..<20 {
            #expect(
                try await fixture.gateway.ask("/api/orders", token: try fixture.token(claims: claims)).status == 401)
        }
        #expect(await fixture.gateway.logHas(lines: 20))
        #expect(fixture.gateway.logged("issuer_mismatch") == 20)
        for path in ["/jwks", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/"] {
            #expect(untrustedIssuer.count(of: path) == 0)
        }
        #expect(fixture.fetches == before)
        await fixture.stop()
        await untrustedIssuer.stop()
    }
}
