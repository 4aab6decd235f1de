import Foundation
import JOSESigning
import TestSupport
import Testing

/// Forward auth (doors): all kinds of answers through the real proxies, as the client and the upstream see them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DoorAnswerTests {
    /// A gateway with one door, a proxy in front of an upstream, and a resource that has no `upstream`.
    private struct Lab {
        let tokens = ThreatTokens()
        let served: ServedFile
        let upstream: LoopbackServer
        let peer: DoorPeer.Running
        private let folder: TemporaryFolder

        static func start(_ peer: DoorPeer) async throws -> Lab {
            let upstream = try await LoopbackServer.upstream()
            let folder = try TemporaryFolder()
            let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa, TestKeys.ec]), to: "iss.json")
            let door = try FreePort.find()
            let served = try await ServedFile.start(text(peer.door, door, keys: keys.path))
            let running = try await peer.start(
                door: door, upstream: String(upstream.url.dropFirst("http://".count)), metadata: served.port)
            return Lab(served: served, upstream: upstream, peer: running, folder: folder)
        }

        static func text(_ kind: String, _ door: Int, keys: String) -> String {
            """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 1
            doors: {kind: \(kind), address: "127.0.0.1:\(door)", from: [127.0.0.1/32]}
            issuers:
              iss: {issuer: "https://iss.example", jwks_file: "\(keys)", algorithms: [RS256, ES256], token_type: at+jwt}
              down: {issuer: "https://other.example", jwks_uri: "http://127.0.0.1:1/keys", algorithms: [RS256], token_type: at+jwt}
            quotas:
              few: {requests: 1, per: 1h, by: subject}
            resources:
              https://lab.example/:
                audiences: [api]
                issuers: [iss, down]
                cors: {origins: ["https://app.example"]}
                rules:
                  GET /orders/**: read
                  POST /orders/**: write
                  GET /few: {all_of: [read], quotas: few}

            """
        }

        /// Sends one request through the proxy and returns the answer.
        func ask(_ line: String, _ fields: [String] = []) throws -> String {
            let connection = try RawConnection(port: peer.port)
            let text =
                ([line + " HTTP/1.1", "Host: lab.example", "Connection: close"] + fields).joined(separator: "\r\n")
                + "\r\n\r\n"
            connection.send(Array(text.replacingOccurrences(of: "GOOD", with: tokens.goodText).utf8))
            connection.receive { _ in false }
            return connection.text
        }

        func stop() async {
            await peer.stop()
            await served.stop()
            await upstream.stop()
        }
    }

    private func status(_ answer: String) -> Int {
        Int(answer.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    private func values(_ name: String, _ answer: String) -> [String] {
        answer.prefix(upTo: answer.range(of: "\r\n\r\n")?.lowerBound ?? answer.endIndex).split(separator: "\r\n").map(
            String.init
        )
        .filter { $0.lowercased().hasPrefix(name + ":") }.map {
            String($0.dropFirst(name.count + 1).drop { $0 == " " })
        }
    }

    @Test(arguments: DoorPeer.installed)
    func `refusals at a door keep status, challenge, body and Retry-After, and reach no upstream (T492)`(
        _ peer: DoorPeer
    )
        async throws
    {
        let lab = try await Lab.start(peer)
        let good = "Authorization: Bearer GOOD"
        let missing = try lab.ask("GET /orders/1")
        #expect(status(missing) == 401)
        #expect(values("www-authenticate", missing).count == 1)
        #expect(values("www-authenticate", missing).first?.contains("resource_metadata=") == true)
        #expect(missing.contains(#""status":401"#))
        // With this token GET is permitted and POST is not, whatever method the proxy asks with.
        let post = try lab.ask("POST /orders/1", [good, "Content-Length: 0"])
        #expect(status(post) == 403)
        #expect(values("www-authenticate", post).first?.contains(#"error="insufficient_scope""#) == true)
        #expect(post.contains(#""error":"insufficient_scope""#))
        #expect(status(try lab.ask("GET /nothing", [good])) == 403)
        let origin = try lab.ask("GET /orders/1", ["Origin: https://app.example"])
        #expect(values("access-control-allow-origin", origin) == ["https://app.example"])
        let other = ThreatTokens.other
        let down = try lab.ask(
            "GET /orders/1",
            ["Authorization: Bearer \(lab.tokens.good.with("iss", "\"https://other.example\"").signed(by: other))"])
        #expect(status(down) == 503)
        #expect(values("retry-after", down).count == 1)
        #expect(lab.upstream.count(of: "/orders/1") == 0)
        #expect(status(try lab.ask("GET /few", [good])) == 200)
        let exceeded = try lab.ask("GET /few", [good])
        #expect(status(exceeded) == 429)
        #expect(values("retry-after", exceeded).count == 1)
        #expect(lab.upstream.count(of: "/few") == 1)
        #expect(status(try lab.ask("GET /orders/2", [good])) == 200)
        #expect(lab.upstream.count(of: "/orders/2") == 1)
        await lab.stop()
    }

    @Test(arguments: DoorPeer.installed)
    func `metadata requests and preflights at a door reach no upstream (T495)`(_ peer: DoorPeer) async throws {
        let lab = try await Lab.start(peer)
        let path = "/.well-known/oauth-protected-resource"
        let document = try lab.ask("GET " + path)
        switch peer {
        // Caddy and Traefik forward metadata requests to an address of `listen`.
        case .nginx, .currentNginx, .haproxy, .caddy, .traefik, .envoyGRPC:
            #expect(status(document) == 200)
            #expect(document.contains(#""resource":"https://lab.example/""#))
            #expect(values("content-type", document).first?.hasPrefix("application/json") == true)
        case .envoy: #expect(status(document) == 404)
        }
        let preflight = try lab.ask(
            "OPTIONS /orders/1", ["Origin: https://app.example", "Access-Control-Request-Method: POST"])
        switch peer {
        case .nginx, .currentNginx, .haproxy, .envoy, .envoyGRPC:
            #expect(status(preflight) == 204)
            #expect(values("access-control-allow-origin", preflight) == ["https://app.example"])
            #expect(values("access-control-allow-methods", preflight).first?.contains("POST") == true)
        case .caddy, .traefik: #expect(status(preflight) == 404)
        }
        #expect(lab.upstream.count(of: path) == 0 && lab.upstream.count(of: "/orders/1") == 0)
        await lab.stop()
    }

    @Test(.enabled(if: DoorPeer.nginx.program != nil))
    func `a resource without an upstream is 404 on a data listener`() async throws {
        let lab = try await Lab.start(.nginx)
        let connection = try RawConnection(port: lab.served.port)
        let fields = "Host: lab.example\r\nAuthorization: Bearer \(lab.tokens.goodText)\r\nConnection: close"
        connection.send(Array("GET /orders/1 HTTP/1.1\r\n\(fields)\r\n\r\n".utf8))
        connection.receive { _ in false }
        #expect(connection.statuses == [404])
        await lab.stop()
    }

    /// A question about `GET /orders/1` in Envoy's message, with the gRPC prefix.
    private static let message: [UInt8] = {
        func part(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(content.count)] + content }
        func text(_ number: UInt8, _ text: String) -> [UInt8] { part(number, Array(text.utf8)) }
        let request = text(2, "GET") + text(4, "/orders/1") + text(5, "lab.example") + text(6, "https")
        let check = part(1, part(4, part(2, request)))
        return [0, 0, 0, 0, UInt8(check.count)] + check
    }()

    @Test(.enabled(if: Interop.curl != nil))
    func `a door's question leaves no data to the next client request on the event loop`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.rsa, TestKeys.ec]), to: "iss.json")
        let body = folder.url.appendingPathComponent("message")
        try Data(Self.message).write(to: body)
        let door = try FreePort.find()
        let text = Lab.text("envoy-grpc", door, keys: keys.path)
            .replacing("listen: 127.0.0.1:0", with: "listen: {address: 127.0.0.1:0, protocols: [h2c, http/1.1]}")
        let served = try await ServedFile.start(text)
        func curl(_ arguments: [String]) async throws -> String {
            let curl = try BearwardProcess(
                program: try #require(Interop.curl),
                ["-s", "-o", "/dev/null", "-w", "%{http_code} %{size_download}", "--http2-prior-knowledge"] + arguments)
            #expect(await curl.exitStatus() == 0, "\(curl.standardError)")
            return curl.standardOutput
        }
        for _ in 0..<3 {
            let call = "http://127.0.0.1:\(door)/envoy.service.auth.v3.Authorization/Check"
            let answer = try await curl([
                "-H", "content-type: application/grpc", "--data-binary", "@\(body.path)", call,
            ])
            // The refusal of a request without a token is long; the message of a permission is short.
            #expect(answer.hasPrefix("200 ") && (Int(answer.dropFirst(4)) ?? 0) > 100, "\(answer)")
            let request = try await curl(["-H", "Host: lab.example", "http://127.0.0.1:\(served.port)/orders/1"])
            #expect(request.hasPrefix("404 "), "\(request)")
        }
        await served.stop()
    }
}
