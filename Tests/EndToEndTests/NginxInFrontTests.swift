import Foundation
import TestSupport
import Testing

/// The lines for an nginx in front, of the chapter on balancers in `docs/operating.md`.
@Suite struct NginxInFrontTests {
    private static func documentedLines() throws -> String {
        let page = Interop.packageDirectory.appendingPathComponent("docs/operating.md")
        let fences = Fence.all(in: try String(contentsOf: page, encoding: .utf8)).filter { $0.language == "nginx" }
        return try #require(fences.first).lines.joined(separator: "\n")
    }

    @Test(.enabled(if: Interop.nginx != nil, "nginx is not installed"))
    func `behind nginx with the lines of the page, the client's address is its own, whatever the client states`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            trusted_proxies: [127.0.0.1]
            issuers:
              company: {issuer: "http://127.0.0.1:1", token_type: at+jwt}
            resources:
              api: {at: api.example.com, issuers: [company], upstream: "\(upstream.url)", rules: {"GET /**": {public: true}}}
            """)
        let folder = try TemporaryFolder()
        let port = try FreePort.find()
        let lines = try Self.documentedLines().replacing("127.0.0.1:8080", with: "127.0.0.1:\(served.port)")
        let file = try folder.write(
            """
            daemon off;
            worker_processes 1;
            pid \(folder.url.path)/pid;
            error_log \(folder.url.path)/error.log;
            events {}
            http {
                access_log off;
                server {
                    listen 127.0.0.1:\(port);
                    location / {
                        \(lines)
                    }
                }
            }
            """, to: "nginx.conf")
        let nginx = try BearwardProcess(
            program: try #require(Interop.nginx),
            ["-p", folder.url.path, "-e", "\(folder.url.path)/error.log", "-c", file.path])
        let curl = try BearwardProcess(
            program: URL(fileURLWithPath: "/usr/bin/curl"),
            [
                "--silent", "--fail", "--retry", "20", "--retry-delay", "1", "--retry-connrefused", "--interface",
                "127.0.0.9", "-H", "Host: api.example.com", "-H", "X-Forwarded-For: 192.0.2.66",
                "http://127.0.0.1:\(port)/orders",
            ])
        let status = await curl.exitStatus()
        #expect(status == 0, "\(nginx.standardError)")
        #expect(await served.logHas(lines: 1))
        #expect(served.gateway.standardOutput.contains(#""client":"127.0.0.9""#), "\(served.gateway.standardOutput)")
        nginx.signal(SIGTERM)
        _ = await nginx.exitStatus()
        await served.stop()
        await upstream.stop()
    }
}
