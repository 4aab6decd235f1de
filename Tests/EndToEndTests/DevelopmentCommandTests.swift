import Foundation
import TestSupport
import Testing

/// Output of `bearward-dev` for a development issuer in a provider's role.
@Suite(.serialized) struct DevelopmentCommandTests {
    /// Runs `bearward-dev token` against an issuer in the given role.
    private static func token(_ arguments: [String], of role: String = "entra-id") async throws -> (
        Int32?, String, String
    ) {
        let issuer = try await IssuerProcess.start(as: role)
        defer { issuer.stop() }
        let answer = try await issuer.token(arguments)
        return (answer.status, answer.output, answer.errors)
    }

    @Test func `an unknown sample name is answered with similar names`() async throws {
        let (status, output, errors) = try await Self.token(["--sample", "access"])
        #expect(status == 64)
        #expect(output.isEmpty)
        #expect(errors.contains("no sample access; did you mean entra-id/access-v2"), "\(errors)")
        #expect(errors.contains("--list-samples"))
    }

    @Test func `a sample can be named by its short or its full name`() async throws {
        for name in ["access-v2", "entra-id/access-v2"] {
            let (status, output, errors) = try await Self.token(["--sample", name])
            #expect(status == 0, "\(errors)")
            #expect(output.split(separator: ".").count == 3)
        }
    }

    @Test(arguments: [["--expires-in", "-600"], ["--expires-in=-600"]])
    func `an expired token can be requested in both option spellings`(_ spelling: [String]) async throws {
        let (status, output, errors) = try await Self.token(["--sample", "access-v2"] + spelling)
        #expect(status == 0, "\(errors)")
        let payload = try #require(output.split(separator: ".").dropFirst().first)
        let base64 = String(payload).replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        let claims = try JSONDecoder().decode(Lifetime.self, from: try #require(Data(base64Encoded: padded)))
        #expect(claims.exp < Int(Date().timeIntervalSince1970))
    }

    private struct Lifetime: Decodable { let exp: Int }

    @Test(arguments: ["--client", "--subject"]) func `an option that a sample fixes cannot be combined with the sample`(
        _ option: String
    ) async throws {
        let process = try BearwardProcess(
            ["token", "--sample", "access", option, "x"], command: "bearward-dev", input: "")
        #expect(await process.exitStatus() == 64)
        #expect(process.standardError.contains("leave out \(option), which a sample has already"))
    }

    @Test func `the configuration that the demo prints has the gateway's real port`() async throws {
        let free = ["--listen", "127.0.0.1:0", "--issuer-listen", "127.0.0.1:0", "--shop-listen", "127.0.0.1:0"]
        let demo = try BearwardProcess(["demo", "--as", "entra-id"] + free, command: "bearward-dev")
        defer { demo.process.terminate() }
        #expect(await BearwardProcess.wait { demo.standardOutput.contains("Ctrl-C") })
        let places = demo.standardOutput.matches(of: /listens at http:\/\/(127\.0\.0\.1:[0-9]+) with/).map(\.output.1)
        let written = demo.standardOutput.matches(of: /(?m)^listen: (.+)$/).map(\.output.1)
        #expect(places.count > 1)
        #expect(places == written)
        #expect(!written.contains("127.0.0.1:0"))
    }

    @Test(arguments: ["issuer", "shop"], [SIGTERM, SIGINT])
    func `the issuer and shop commands serve, and exit on SIGTERM and SIGINT`(
        _ command: String, _ signal: Int32
    ) async throws {
        let process = try BearwardProcess([command, "--listen", "127.0.0.1:0"], command: "bearward-dev")
        #expect(await BearwardProcess.wait { process.standardOutput.contains("http://127.0.0.1:") })
        let port = try #require(
            process.standardOutput.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.output.1) })
        let path = command == "shop" ? "/orders" : "/jwks"
        let connection = try RawConnection(port: port)
        connection.send(Array("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
        connection.receive { _ in false }
        #expect(connection.statuses == [200])
        process.signal(signal)
        #expect(await process.exitStatus() == 0)
    }
}
