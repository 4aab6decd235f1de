import DevelopmentIssuer
import Foundation
import NIOCore
import TestSupport
import Testing

/// TLS with clients through the real command, tested with curl.
@Suite(.serialized, .enabled(if: Interop.curl != nil)) struct TLSEndToEndTests {
    private static let statusOnly = ["-o", "/dev/null", "-w", "%{http_code}"]

    @Test func `tokens are judged over TLS as without it`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url)
        let token = try edge.token()
        let good = try await edge.curl(["-i", "\(edge.base)/api/orders", "-H", "Authorization: Bearer \(token)"])
        #expect(good.output.hasPrefix("HTTP/2 200"), "\(good)")
        #expect(try await edge.curl(Self.statusOnly + ["\(edge.base)/api/orders"]).output == "401")
        let forbidden = try await edge.curl(
            Self.statusOnly + ["-X", "POST", "\(edge.base)/api/orders", "-H", "Authorization: Bearer \(token)"])
        #expect(forbidden.output == "403")
        // A request without TLS is not answered.
        #expect(try await edge.curl(["http://127.0.0.1:\(edge.port)/api/orders"]).status != 0)
        await edge.stop()
        await shop.stop()
    }

    @Test func `a certificate replaced on disk is served, and a broken replacement is not`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url)
        let status = Self.statusOnly + ["\(edge.base)/api/status"]
        #expect(try await edge.curl(status).output == "200")

        let files = try edge.authority.issue("edge", for: ["DNS:localhost", "DNS:renewed.example"])
        let renewed = await BearwardProcess.wait {
            edge.gateway.gateway.standardError.contains("Certificates replaced")
        }
        #expect(renewed, "\(edge.gateway.gateway.standardError)")
        let named = [
            "--resolve", "renewed.example:\(edge.port):127.0.0.1", "https://renewed.example:\(edge.port)/api/status",
        ]
        #expect(try await edge.curl(Self.statusOnly + named).output == "200")

        try "broken".write(to: files.key, atomically: true, encoding: .utf8)
        let reported = await BearwardProcess.wait {
            edge.gateway.gateway.standardError.contains("Certificates not reloaded")
        }
        #expect(reported)
        edge.gateway.gateway.signal(SIGHUP)
        let refused = await BearwardProcess.wait { edge.gateway.gateway.standardError.contains("Reload refused") }
        #expect(refused)
        #expect(try await edge.curl(Self.statusOnly + named).output == "200")

        let metrics = try await edge.gateway.administration("/metrics").body
        #expect(metrics.contains("bearward_tls_handshakes_total{result=\"completed\"} 3"))
        #expect(metrics.contains("bearward_certificate_not_after_timestamp_seconds{name=\"localhost\"}"))
        await edge.stop()
        await shop.stop()
    }

    /// OpenSSL's client takes an input line for a command: `R` starts a renegotiation, `K` a key update of both sides.
    @Test(.slow, .enabled(if: Interop.openssl != nil), arguments: [("-tls1_2", "R"), ("-tls1_3", "K")])
    func `T398 neither renegotiation nor a flood of key updates is accepted`(version: String, command: String)
        async throws
    {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url)
        let speak = "for n in $(seq 400); do echo \(command); sleep 0.01; done"
        let connect =
            "openssl s_client -connect 127.0.0.1:\(edge.port) \(version) -CAfile \(edge.authority.anchor.path)"
        let client = try BearwardProcess(program: try #require(Interop.shell), ["-c", "\(speak) | \(connect)"])
        // The client exits with an error, caused by the gateway: the end of its input alone would have ended it without
        // one.
        #expect(await client.exitStatus(within: .seconds(20)) == 1, "\(client.standardError)")
        let updates = client.standardError.split(separator: "KEYUPDATE").count - 1
        #expect(updates < 100)
        #expect(try await edge.curl(Self.statusOnly + ["\(edge.base)/api/status"]).output == "200")
        await edge.stop()
        await shop.stop()
    }

    @Test(.enabled(if: Interop.wrk != nil)) func `wrk gets only good answers over TLS`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url)
        let load = try BearwardProcess(
            program: try #require(Interop.wrk),
            [
                "-t1", "-c32", "-d3s", "--timeout", "60s", "-H", "Authorization: Bearer \(try edge.token())",
                "https://127.0.0.1:\(edge.port)/api/orders",
            ])
        #expect(await load.exitStatus() == 0)
        #expect(load.standardOutput.contains(/[1-9]\d+ requests in/), "\(load.standardOutput)")
        #expect(
            !load.standardOutput.contains("Non-2xx") && !load.standardOutput.contains("Socket errors"),
            "\(load.standardOutput)")
        await edge.stop()
        await shop.stop()
    }

    @Test(.slow, .enabled(if: Interop.h2load != nil)) func `a hundred certificate renewals under load lose no request`()
        async throws
    {
        let h2load = try #require(Interop.h2load)
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url)
        let token = try edge.token()
        let end = StopSign()
        let load = Task {
            var (good, bad) = (0, [String]())
            while !end.isRaised {
                // Several requests over one connection, and then one on a new connection.
                let urls = Array(repeating: "\(edge.base)/api/orders", count: 5)
                let answer = try await edge.curl(
                    ["-w", "%{http_code} ", "-H", "Authorization: Bearer \(token)"]
                        + urls.flatMap { ["-o", "/dev/null", $0] })
                if answer.output == "200 200 200 200 200 " { good += 5 } else { bad.append("\(answer)") }
            }
            return (good, bad)
        }
        // Load from a client that accepts every certificate.
        let flood = Task {
            var bad: [String] = []
            while !end.isRaised {
                let run = try BearwardProcess(
                    program: h2load,
                    [
                        "-n", "400", "-c", "20", "-H", "Authorization: Bearer \(token)",
                        "https://127.0.0.1:\(edge.port)/api/orders",
                    ])
                _ = await run.exitStatus()
                if !run.standardOutput.contains("status codes: 400 2xx") { bad.append(run.standardOutput) }
            }
            return bad
        }
        for _ in 1...100 {
            try edge.authority.issue("edge")
            // Renewals are triggered by the signal now, and by the file watch at its interval.
            let before = edge.gateway.gateway.count(of: "Reloaded")
            edge.gateway.gateway.signal(SIGHUP)
            _ = await BearwardProcess.wait {
                edge.gateway.gateway.count(of: "Reloaded") > before
            }
        }
        end.raise()
        let (good, bad) = try await load.value
        #expect(bad.isEmpty && good > 0, "\(bad.first ?? "")")
        let failed = try await flood.value
        #expect(failed.isEmpty, "\(failed.first ?? "")")
        await edge.stop()
        await shop.stop()
    }

    @Test func `a client with a certificate is accepted, and a client without one is not`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(
            listener: "tls: {certificate: @certificate, key: @key, client_ca: @anchor, client_certificate: required}",
            upstream: shop.url)
        let app = try edge.authority.issue("app", for: ["DNS:app.example"])
        let url = "\(edge.base)/api/status"
        let shown = try await edge.curl(Self.statusOnly + ["--cert", app.certificate.path, "--key", app.key.path, url])
        #expect(shown.output == "200")
        let hidden = try await edge.curl(Self.statusOnly + [url])
        #expect(hidden.output == "000")
        #expect(hidden.status != 0)
        #expect(await edge.gateway.logHas(lines: 1))
        #expect(edge.gateway.gateway.standardOutput.contains(/"client_certificate":"[A-Za-z0-9_-]{43}"/))
        await edge.stop()
        await shop.stop()
    }

    @Test func `the upstream gets the client's certificate from the gateway only (RFC 9440)`() async throws {
        let shop = try await LoopbackServer.start { request in
            let stated = request.fields.filter { $0.name.lowercased().hasPrefix("client-cert") }.map {
                "\($0.name): \($0.value)"
            }
            return LoopbackReply(body: ByteBuffer(string: stated.joined(separator: "|")))
        }
        let edge = try await EdgeFixture.start(
            listener: "tls: {certificate: @certificate, key: @key, client_ca: @anchor, client_certificate: optional}",
            upstream: shop.url,
            forwardLines: "      client_certificate: true\n", topLines: "trusted_proxies: [127.0.0.1]\n")
        let app = try edge.authority.issue("app", for: ["DNS:app.example"])
        let planted = ["-H", "Client-Cert: :AAAA:", "-H", "Client-Cert-Chain: :AAAA:", "\(edge.base)/api/status"]
        let shown = try await edge.curl(["--cert", app.certificate.path, "--key", app.key.path] + planted)
        // The lines between the PEM marks are the Base64 of the certificate's DER.
        let text = try String(contentsOf: app.certificate, encoding: .utf8)
        let encoded = try #require(text.firstMatch(of: /-----BEGIN CERTIFICATE-----\n([^-]+)-----END/)).1.replacing(
            "\n", with: "")
        #expect(shown.output == "Client-Cert: :\(encoded):")
        #expect(try await edge.curl(planted).output == "")
        await edge.stop()
        await shop.stop()
    }

    @Test func `T341 a TLS listener survives a restart of its worker and a handover, with the same certificate`()
        async throws
    {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url)
        let status = Self.statusOnly + ["\(edge.base)/api/status"]
        edge.gateway.gateway.signal(SIGUSR2)
        #expect(await BearwardProcess.wait { edge.gateway.gateway.standardError.contains("Handing over") })
        for _ in 1...5 { #expect(try await edge.curl(status).output == "200") }
        await edge.stop()
        await shop.stop()
    }
}
