import DevelopmentIssuer
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@Suite(.serialized) struct ServeTests {
    @Test func `each kind of documented answer is given over a real socket`() async throws {
        let fixture = try await GatewayFixture.start()
        let good = try fixture.token()
        let cases: [(path: String, token: String?, status: Int, challenge: String?)] = [
            ("/api/orders", good, 200, nil),
            ("/api/status", nil, 200, nil),
            ("/api/orders", nil, 401, #"Bearer realm="https://shopping.your-app.com/api", scope="shopping:read""#),
            ("/api/orders", try fixture.token(lifetime: .seconds(-3600)), 401, "The access token expired"),
            (
                "/api/orders", try fixture.token(audience: "https://store.your-app.com/api"), 401,
                "not valid for this API"
            ),
            ("/api/orders", try fixture.token(scopes: ["profile"]), 403, #"error="insufficient_scope""#),
            ("/api/nothing", good, 403, nil),
            ("/nowhere", good, 404, nil),
            ("/api/orders/../status", good, 400, nil),
        ]
        for example in cases {
            let answer = try await fixture.get(example.path, token: example.token)
            #expect(answer.status == example.status, "\(example.path): \(answer.body)")
            let challenge = answer.fields["www-authenticate"].joined()
            #expect(example.challenge.map(challenge.contains) ?? challenge.isEmpty, "\(example.path): \(challenge)")
        }
        let me = try await fixture.get("/api/me", token: good)
        #expect(me.body.contains("user-1") && me.body.contains("app-1"), "the shop was told who calls: \(me.body)")
        let ready = try await fixture.get("/readyz", port: fixture.adminPort)
        #expect(ready.status == 200 && ready.body.contains(#""name":"dev","ready":true"#))
        #expect(try await fixture.get("/readyz?issuer=dev", port: fixture.adminPort).status == 200)
        #expect(try await fixture.get("/readyz?issuer=other", port: fixture.adminPort).status == 404)
        #expect(try await fixture.get("/livez", port: fixture.adminPort).status == 200)
        #expect(try await fixture.get("/livez").status == 404, "administration is not on a data listener")
        await fixture.stop()
        #expect(fixture.gateway.process.terminationStatus == 0)
        let log = fixture.gateway.standardOutput
        #expect(log.split(separator: "\n").count == cases.count + 2)
        #expect(log.contains(#""reason":"audience_mismatch""#))
        let tokenParts = good.split(separator: ".")
        for part in tokenParts { #expect(!log.contains(part), "a token was logged") }
    }

    @Test func `a new key of the issuer is fetched while its first request waits`() async throws {
        let fixture = try await GatewayFixture.start()
        _ = try fixture.issuer.rotate()
        #expect(try await fixture.get("/api/orders", token: try fixture.token()).status == 200)
        await fixture.stop()
    }

    @Test func `a reload under load drops no request, and a bad file changes nothing (T421)`() async throws {
        let fixture = try await GatewayFixture.start()
        let token = try fixture.token()
        let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var statuses: [Int] = []
                    for _ in 0..<150 { statuses.append(try await fixture.get("/api/orders", token: token).status) }
                    return statuses
                }
            }
            group.addTask {
                for turn in 0..<12 {
                    let rules = turn.isMultiple(of: 2) ? "      GET /orders/** shopping:read" : GatewayFixture.rules
                    let text = GatewayFixture.text(
                        issuer: fixture.issuer.issuer, upstream: fixture.shop.url, rules: rules)
                    try text.write(to: fixture.file, atomically: true, encoding: .utf8)
                    fixture.gateway.signal(SIGHUP)
                    try await Task.sleep(for: .milliseconds(50))
                }
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses.count == 1200)
        #expect(statuses.allSatisfy { $0 == 200 })
        // The last good file adds a rule. The bad file after it must not remove the rule.
        let widened = GatewayFixture.rules + "\n      GET /catalog: shopping:read"
        try GatewayFixture.text(issuer: fixture.issuer.issuer, upstream: fixture.shop.url, rules: widened)
            .write(to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        #expect(await BearwardProcess.wait { (try? await fixture.get("/api/catalog", token: token).status) == 200 })
        try "listen: [".write(to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        let problem = #"bearward.yaml","line":2,"column":1,"key":"","problem":""#
        #expect(
            await BearwardProcess.wait {
                fixture.gateway.lines(of: "The configuration file has an error").contains { $0.contains(problem) }
            })
        #expect(try await fixture.get("/api/catalog", token: token).status == 200)
        let moved = GatewayFixture.text(issuer: fixture.issuer.issuer, upstream: fixture.shop.url)
            .replacingOccurrences(of: "event_loops: 2", with: "event_loops: 1")
        try moved.write(to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        #expect(
            await BearwardProcess.wait {
                fixture.gateway.standardError.contains("a change of event_loops needs a restart")
            })
        #expect(try await fixture.get("/api/catalog", token: token).status == 200)
        await fixture.stop()
    }

    /// Completion of requests in progress is tested in `ReverseProxyTests`, where the upstream can be held up.
    @Test(arguments: [SIGTERM, SIGINT])
    func `a gateway that gets SIGTERM or SIGINT exits with 0 and accepts no more connections`(
        _ signal: Int32
    )
        async throws
    {
        let fixture = try await GatewayFixture.start()
        #expect(try await fixture.get("/api/orders", token: try fixture.token()).status == 200)
        fixture.gateway.signal(signal)
        #expect(await fixture.gateway.exitStatus() == 0)
        #expect(throws: RawConnection.NotConnected.self) { try RawConnection(port: fixture.port) }
        await fixture.stop()
    }

    @Test func `without its issuer the gateway starts, reports not ready, and tells clients to retry`()
        async throws
    {
        let fixture = try await GatewayFixture.start()
        let token = try fixture.token()
        let text = GatewayFixture.text(issuer: "http://127.0.0.1:1", upstream: fixture.shop.url)
        let file = fixture.directory.appendingPathComponent("orphan.yaml")
        try text.write(to: file, atomically: true, encoding: .utf8)
        let gateway = try BearwardProcess(["serve", "--config", file.path])
        #expect(await BearwardProcess.wait { gateway.hasStarted })
        #expect(gateway.count(of: "Ready") == 0)
        #expect(gateway.standardError.contains("no issuer has keys yet"), "\(gateway.standardError)")
        let port = try #require(gateway.port(of: "Listening"))
        let adminPort = try #require(gateway.port(of: "Admin listener ready"))
        #expect(try await fixture.get("/readyz", port: adminPort).status == 503)
        #expect(try await fixture.get("/api/status", port: port).status == 200)
        #expect(
            try await fixture.get("/api/orders", token: token, port: port).status == 401,
            "another issuer's token needs no keys")
        let otherIssuersToken = try fixture.issuer.mint(
            .init(
                client: "a", audiences: [GatewayFixture.audience], scopes: [],
                extraClaims: #"{"iss":"http://127.0.0.1:1"}"#),
        )
        let answer = try await fixture.get("/api/orders", token: otherIssuersToken, port: port)
        #expect(answer.status == 503)
        #expect(answer.fields["retry-after"].count == 1)
        gateway.signal(SIGTERM)
        #expect(await gateway.exitStatus() == 0)
        await fixture.stop()
    }

    @Test func `the operational log follows the settings of the file, also after a reload`() async throws {
        let fixture = try await GatewayFixture.start(topLines: "log: {format: json}\n")
        let good = try String(contentsOf: fixture.file, encoding: .utf8)
        try good.replacing("{format: json}", with: "{format: text}").write(
            to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        #expect(
            await BearwardProcess.wait {
                fixture.gateway.standardError.contains("Z notice Reloaded file=\(fixture.file.path)\n")
            })
        try good.replacing("{format: json}", with: "{format: json, level: error}").write(
            to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        // At level error the reload itself is not logged, but a refused reload is.
        #expect(
            try await BearwardProcess.wait {
                try await fixture.get("/metrics", port: fixture.adminPort).body.contains(
                    "bearward_configuration_generation 3\n")
            })
        try "listen: [".write(to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        #expect(
            await BearwardProcess.wait {
                fixture.gateway.count(of: "Reload refused; the running configuration stays") == 1
            })
        #expect(fixture.gateway.count(of: "Reloaded") == 0)
        await fixture.stop()
    }

    /// Script that binds a free port and hands it over as a service manager does.
    private static let handsOver = """
        import os, socket, sys
        listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen(64)
        sys.stderr.write("handed=%d\\n" % listener.getsockname()[1]); sys.stderr.flush()
        listener.set_inheritable(True)
        if listener.fileno() != 3: os.dup2(listener.fileno(), 3, inheritable=True)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
        os.execv(sys.argv[1], sys.argv[1:])
        """

    @Test(.enabled(if: Interop.python != nil, "python3 is not installed"))
    func `sockets that were handed over are adopted`() async throws {
        let fixture = try await GatewayFixture.start()
        let python = try #require(Interop.python)
        let binary = BearwardProcess.directory.appendingPathComponent("bearward").path
        let gateway = try BearwardProcess(
            program: python, ["-c", Self.handsOver, binary, "serve", "--config", fixture.file.path])
        #expect(await BearwardProcess.wait { gateway.count(of: "Ready") > 0 }, "\(gateway.standardError)")
        let handed = try #require(gateway.standardError.firstMatch(of: /handed=(\d+)/)?.output.1)
        let port = Int(handed)
        #expect(gateway.standardError.contains("127.0.0.1:\(handed)"))
        #expect(try await fixture.get("/api/orders", token: try fixture.token(), port: port).status == 200)
        gateway.signal(SIGTERM)
        #expect(await gateway.exitStatus() == 0)
        await fixture.stop()
    }

    @Test(.enabled(if: Interop.python != nil, "python3 is not installed"))
    func `a listener for which no socket was handed over is an error`() async throws {
        let python = try #require(Interop.python)
        let binary = BearwardProcess.directory.appendingPathComponent("bearward").path
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let text = GatewayFixture.text(issuer: "http://127.0.0.1:1", upstream: "http://127.0.0.1:1")
            .replacing("listen: 127.0.0.1:0", with: "listen: [127.0.0.1:0, 127.0.0.1:9]")
        let file = try folder.write(text, to: "bearward.yaml")
        let gateway = try BearwardProcess(
            program: python, ["-c", Self.handsOver, binary, "serve", "--config", file.path])
        #expect(await gateway.exitStatus() == 78)
        #expect(
            gateway.standardError.contains(
                #"name its port in the socket unit, or remove it from listen","address":"127.0.0.1:9""#),
            "\(gateway.standardError)")
    }
}
