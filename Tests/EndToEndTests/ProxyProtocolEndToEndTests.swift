import DevelopmentIssuer
import Foundation
import TestSupport
import Testing

/// The PROXY protocol from real senders: HAProxy in front, and curl.
@Suite(.serialized, .enabled(if: Interop.curl != nil)) struct ProxyProtocolEndToEndTests {
    private static let haproxy = URL(fileURLWithPath: "/usr/sbin/haproxy")
    private static let isInstalled = FileManager.default.isExecutableFile(atPath: haproxy.path)
    private static let listener = "proxy_protocol: {from: [127.0.0.0/8]}"
    /// An address other than HAProxy's.
    private static let client = "127.0.0.9"

    /// HAProxy with one port for each variant of the header.
    private struct Front {
        let process: BearwardProcess
        let ports: [String: Int]

        /// Starts HAProxy.
        ///
        /// - Parameter ways: options of `bind` and of `server` for each variant, by name.
        static func start(_ ways: [String: (bind: String, server: String)], before port: Int) async throws -> Front {
            let ports = try ways.mapValues { _ in try FreePort.find() }
            let sections = ways.map { name, way in
                """
                listen \(name)
                  bind 127.0.0.1:\(ports[name] ?? 0) \(way.bind)
                  server gateway 127.0.0.1:\(port) \(way.server)
                """
            }
            let text = """
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 20s
                  timeout server 20s
                  unique-id-format %{+X}o\\ %ci:%cp

                """
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let file = try folder.write(text + sections.joined(separator: "\n") + "\n", to: "haproxy.cfg")
            let process = try BearwardProcess(program: haproxy, ["-db", "-f", file.path])
            let isUp = await BearwardProcess.wait {
                ports.values.allSatisfy { (try? RawConnection(port: $0)) != nil } || !process.process.isRunning
            }
            try #require(isUp && process.process.isRunning, "\(process.standardError)")
            return Front(process: process, ports: ports)
        }

        func port(_ name: String) throws -> Int { try #require(ports[name]) }

        func stop() async {
            process.signal(SIGTERM)
            _ = await process.exitStatus()
        }
    }

    /// Number of access log lines with this client.
    private func requests(of client: String, _ edge: EdgeFixture) -> Int {
        edge.gateway.gateway.standardOutput.components(separatedBy: "\"client\":\"\(client)\"").count - 1
    }

    /// Number of operational log lines about connections closed for their header.
    private func warnings(_ edge: EdgeFixture) -> Int {
        edge.gateway.gateway.standardError.components(separatedBy: "A connection was closed").count - 1
    }

    private func headers(_ result: String, _ edge: EdgeFixture) async throws -> Int {
        let metrics = try await edge.gateway.administration("/metrics").body
        let line = metrics.split(separator: "\n").first {
            $0.hasPrefix("bearward_proxy_headers_total{result=\"\(result)\"}")
        }
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }

    @Test(.enabled(if: isInstalled, "haproxy is not installed"))
    func `PROXY headers of both versions from HAProxy, with all its extensions, name the client`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(listener: Self.listener, upstream: shop.url)
        let identity = try edge.authority.issue("edge")
        let pair = identity.certificate.deletingLastPathComponent().appendingPathComponent("pair.pem")
        try
            (String(contentsOf: identity.certificate, encoding: .utf8)
            + String(contentsOf: identity.key, encoding: .utf8))
            .write(to: pair, atomically: true, encoding: .utf8)
        let every = "proxy-v2-options ssl,cert-cn,ssl-cipher,cert-sig,cert-key,authority,crc32c,unique-id"
        let ways = [
            "v1": ("", "send-proxy"), "v2": ("", "send-proxy-v2"),
            "checksum": ("", "send-proxy-v2 proxy-v2-options crc32c"),
            "unique": ("", "send-proxy-v2 proxy-v2-options crc32c,unique-id"),
            "tls": ("ssl crt \(pair.path)", "send-proxy-v2-ssl-cn \(every)"),
        ]
        let front = try await Front.start(ways, before: edge.port)
        let token = try edge.token()
        for (count, name) in ["v1", "v2", "checksum", "unique", "tls"].enumerated() {
            let url = "\(name == "tls" ? "https://localhost" : "http://127.0.0.1"):\(try front.port(name))/api/orders"
            let answer = try await edge.curl(
                [
                    "-o", "/dev/null", "-w", "%{http_code}", "-4", "--interface", Self.client, url, "-H",
                    "Authorization: Bearer \(token)",
                ])
            #expect(answer.output == "200", "\(name): \(answer) \(edge.gateway.gateway.standardError)")
            #expect(await BearwardProcess.wait { requests(of: Self.client, edge) == count + 1 }, "\(name)")
        }
        #expect(try await headers("announced", edge) >= ways.count)
        #expect(try await headers("invalid", edge) == 0)
        await front.stop()
        await edge.stop()
        await shop.stop()
    }

    @Test(.enabled(if: isInstalled, "haproxy is not installed"))
    func `TLS and HTTP/2 pass through HAProxy, and its health checks leave no log line`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(
            listener: "\(Self.listener), tls: {certificate: @certificate, key: @key}", upstream: shop.url)
        let checked = "check check-send-proxy inter 50ms"
        let ways = [
            "v1": ("", "send-proxy"), "v2": ("", "send-proxy-v2 \(checked)"),
            "bare": ("", "send-proxy-v2 check port \(edge.port) inter 50ms"),
        ]
        let front = try await Front.start(ways, before: edge.port)
        // Health checks of one backend send a LOCAL header, and those of the other only connect.
        #expect(await BearwardProcess.wait { (try? await headers("local", edge)) ?? 0 > 5 })
        #expect(await BearwardProcess.wait { (try? await headers("incomplete", edge)) ?? 0 > 5 })
        let token = try edge.token()
        for name in ["v1", "v2", "bare"] {
            let url = "https://localhost:\(try front.port(name))/api/orders"
            let answer = try await edge.curl(
                [
                    "-o", "/dev/null", "-w", "%{http_code} %{http_version}", "-4", "--interface", Self.client, url,
                    "-H",
                    "Authorization: Bearer \(token)",
                ])
            #expect(answer.output == "200 2", "\(name): \(answer)")
        }
        #expect(await BearwardProcess.wait { requests(of: Self.client, edge) == 3 })
        #expect(edge.gateway.gateway.standardOutput.split(separator: "\n").count == 3)
        #expect(warnings(edge) == 0)
        await front.stop()
        await edge.stop()
        await shop.stop()
    }

    @Test func `a PROXY header from curl names the client, and a request without one is not answered`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(listener: "proxy_protocol: {from: [127.0.0.8/31]}", upstream: shop.url)
        let status = ["-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(edge.port)/api/status"]
        #expect(try await edge.curl(["--haproxy-protocol", "--interface", Self.client] + status).output == "200")
        #expect(await BearwardProcess.wait { requests(of: Self.client, edge) == 1 })
        // A listed peer without a header, and an unlisted peer with one. The log reports them once in a while.
        #expect(try await edge.curl(["--interface", Self.client] + status).status == 52)
        #expect(try await edge.curl(["--haproxy-protocol"] + status).status != 0)
        #expect(try await headers("invalid", edge) == 1)
        #expect(try await headers("untrusted", edge) == 1)
        let told = await BearwardProcess.wait { warnings(edge) == 1 }
        #expect(told, "\(edge.gateway.gateway.standardError)")
        #expect(edge.gateway.gateway.standardError.contains("it did not begin with a PROXY header"))
        await edge.stop()
        await shop.stop()
    }
}
