import DevelopmentIssuer
import Foundation
import TestSupport
import Testing

/// HTTP/2 with third-party clients, through the real command.
@Suite(.serialized) struct HTTP2EndToEndTests {
    @Test(.enabled(if: Interop.curl != nil))
    func `curl gets its answers over HTTP 2, and over HTTP 1.1 if it asks for that`()
        async throws
    {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url)
        let token = try edge.token()
        for (flag, version) in [("--http2", "2"), ("--http1.1", "1.1")] {
            func ask(_ arguments: String...) async throws -> String {
                try await edge.curl([flag, "-o", "/dev/null", "-w", "%{http_version} %{http_code}"] + arguments).output
            }
            #expect(
                try await ask("\(edge.base)/api/orders", "-H", "Authorization: Bearer \(token)") == "\(version) 200")
            #expect(try await ask("\(edge.base)/api/orders") == "\(version) 401")
            #expect(
                try await ask("-d", "{}", "\(edge.base)/api/orders", "-H", "Authorization: Bearer \(token)")
                    == "\(version) 403")
            #expect(try await ask("-I", "\(edge.base)/api/status") == "\(version) 200")
            #expect(try await ask("-X", "DELETE", "\(edge.base)/api/orders/7") == "\(version) 403")
        }
        await edge.stop()
        await shop.stop()
    }

    /// curl 7.88 reports its error 92, and no status, if a stream is reset as soon as its answer is out.
    @Test(.enabled(if: Interop.curl != nil), arguments: [1, 4])
    func `curl shows the status with which an upload is refused`(mebibytes: Int) async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url, topLines: "limits: {body: 512KiB}\n")
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder.url.appending(path: "upload")
        try Data(repeating: 7, count: mebibytes << 20).write(to: file)
        let trials: [(scopes: [String], status: String)] = [
            ([], "401"), (["shopping:read"], "403"), (["shopping:write"], "413"),
        ]
        for trial in trials {
            let credentials =
                trial.scopes.isEmpty ? [] : ["-H", "Authorization: Bearer \(try edge.token(scopes: trial.scopes))"]
            let arguments = [
                "--http2", "-o", "/dev/null", "-w", "%{http_version} %{http_code}", "--data-binary", "@\(file.path)",
            ]
            let answer = try await edge.curl(arguments + credentials + ["\(edge.base)/api/orders"])
            #expect(answer.output == "2 \(trial.status)" && answer.status == 0, "\(answer)")
        }
        await edge.stop()
        await shop.stop()
    }

    @Test(.enabled(if: Interop.curl != nil))
    func `a listener without TLS speaks HTTP 2 with prior-knowledge clients`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(listener: "protocols: [h2c, http/1.1]", upstream: shop.url)
        let url = "http://127.0.0.1:\(edge.port)/api/status"
        for (flags, version) in [(["--http2-prior-knowledge"], "2"), (["--http1.1"], "1.1"), (["--http2"], "1.1")] {
            let answer = try await edge.curl(flags + ["-o", "/dev/null", "-w", "%{http_version} %{http_code}", url])
            #expect(answer.output == "\(version) 200", "T243 \(flags)")
        }
        await edge.stop()
        await shop.stop()
    }

    @Test(.enabled(if: Interop.h2load != nil))
    func `many clients with many concurrent requests each get their own answers`()
        async throws
    {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url)
        let load = try BearwardProcess(
            program: try #require(Interop.h2load),
            [
                "-n", "5000", "-c", "20", "-m", "20", "-H", "Authorization: Bearer \(try edge.token())",
                "https://127.0.0.1:\(edge.port)/api/orders",
            ])
        #expect(await load.exitStatus() == 0)
        #expect(
            load.standardOutput.contains("5000 done, 5000 succeeded, 0 failed, 0 errored"), "\(load.standardOutput)")
        #expect(load.standardOutput.contains("status codes: 5000 2xx"), "\(load.standardOutput)")
        await edge.stop()
        await shop.stop()
    }

    @Test(.enabled(if: Interop.nghttp != nil)) func `nghttp gets a refusal with a readable challenge`() async throws {
        let shop = try await SampleShop.start()
        let edge = try await EdgeFixture.start(upstream: shop.url)
        let client = try BearwardProcess(
            program: try #require(Interop.nghttp), ["-nv", "https://127.0.0.1:\(edge.port)/api/orders"])
        #expect(await client.exitStatus() == 0)
        #expect(client.standardOutput.contains(":status: 401"))
        #expect(client.standardOutput.contains("www-authenticate: Bearer realm="))
        await edge.stop()
        await shop.stop()
    }
}
