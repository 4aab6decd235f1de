import DevelopmentIssuer
import Foundation
import TestSupport
import Testing

/// Tokens and a key set made by joserfc (Python), verified by the running gateway, asked by curl and wrk.
@Suite(.serialized) struct JoserfcTests {
    /// Output of the Python issuer.
    struct Issuer: Decodable {
        let issuer: String
        let tokens: [String: String]
        let expected: [String: Int]
        let rotation: [String]
    }

    @Test(
        .slow,
        .enabled(
            if: Interop.pythonWithJoserfc != nil && Interop.curl != nil && Interop.wrk != nil,
            "joserfc, curl or wrk is not installed")
    )
    func `tokens of five algorithms from joserfc are judged correctly, for curl and 30 seconds of wrk`() async throws {
        let python = try #require(Interop.pythonWithJoserfc)
        let (curl, wrk) = (try #require(Interop.curl), try #require(Interop.wrk))
        let script = Interop.packageDirectory.appendingPathComponent("Tests/EndToEndTests/Interop/issuer.py").path
        let process = try BearwardProcess(program: python, [script])
        #expect(await BearwardProcess.wait { process.standardOutput.hasSuffix("}\n") })
        let issuer = try JSONDecoder().decode(Issuer.self, from: Data(process.standardOutput.utf8))
        let shop = try await SampleShop.start()
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let text = GatewayFixture.text(issuer: issuer.issuer, upstream: shop.url)
            .replacingOccurrences(of: "[RS256]", with: "[RS256, PS256, ES256, ES384, EdDSA]")
        let file = try folder.write(text, to: "bearward.yaml")
        let gateway = try BearwardProcess(["serve", "--config", file.path])
        #expect(await BearwardProcess.wait { gateway.count(of: "Ready") > 0 }, "\(gateway.standardError)")
        let port = try #require(gateway.port(of: "Listening"))

        #expect(issuer.tokens.count == 10)
        for (name, token) in issuer.tokens {
            let arguments = [
                "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Authorization: Bearer \(token)",
                "http://127.0.0.1:\(port)/api/orders",
            ]
            let request = try BearwardProcess(program: curl, arguments)
            #expect(await request.exitStatus() == 0)
            #expect(Int(request.standardOutput) == issuer.expected[name], "\(name)")
        }

        let lua = folder.url.appendingPathComponent("tokens.lua")
        let rows = issuer.rotation.map { "\"Bearer \($0)\"" }.joined(separator: ",\n")
        try """
        local values = { \(rows) }
        local turn = 0
        request = function()
          turn = turn % #values + 1
          return wrk.format("GET", "/api/orders", { ["Host"] = "127.0.0.1", ["Authorization"] = values[turn] })
        end
        """.write(to: lua, atomically: true, encoding: .utf8)
        let load = try BearwardProcess(
            program: wrk, ["-t1", "-c32", "-d30s", "--timeout", "60s", "-s", lua.path, "http://127.0.0.1:\(port)/"])
        #expect(await load.exitStatus(within: .seconds(60)) == 0)
        #expect(load.standardOutput.contains("requests in 30"), "\(load.standardOutput)\(load.standardError)")
        #expect(!load.standardOutput.contains("Non-2xx"), "\(load.standardOutput)")
        #expect(!load.standardOutput.contains("Socket errors"), "\(load.standardOutput)")

        gateway.signal(SIGTERM)
        #expect(await gateway.exitStatus() == 0)
        process.signal(SIGTERM)
        await shop.stop()
    }
}
