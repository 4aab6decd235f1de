import AsyncHTTPClient
import Foundation
import JOSESigning
import NIOCore
import NIOHTTP1
import TestSupport

/// A folder with a key set, an operator's token and a deny list, and the configuration that uses them.
final class DenialStand: Sendable {
    static let operatorToken = "0123456789abcdef0123456789abcdef"
    private let folder: TemporaryFolder
    let adminPort: Int
    let upstream: String

    init(upstream: String) throws {
        self.upstream = upstream
        folder = try TemporaryFolder()
        adminPort = try FreePort.find()
        try put(Self.operatorToken, "token")
        try put(SigningKey.jwkSetJSON([TestKeys.ec]), "keys.json")
        try put("", "deny.jsonl")
    }

    func path(_ name: String) -> String { folder.path(name) }

    func put(_ text: String, _ name: String) throws { try folder.write(text, to: name) }

    func text(state: Bool = true, list: Bool = false, operators: Bool = true, issuer: String = "logto") -> String {
        let lines =
            (state ? "state_directory: \"\(path("state"))\"\n" : "")
            + (list ? "deny_file: \"\(path("deny.jsonl"))\"\n" : "")
        return lines + """
            listen: 127.0.0.1:0
            admin: {address: "127.0.0.1:\(adminPort)"\(operators ? ", token_file: \"\(path("token"))\"" : "")}
            event_loops: 2
            timeouts: {drain: 1s}
            issuers:
              \(issuer): {issuer: "https://id.example", token_type: at+jwt, jwks_file: "\(path("keys.json"))"}
            resources:
              orders:
                at: [/]
                issuers: [\(issuer)]
                upstream: \(upstream)
                rules: {GET /**: authenticated}

            """
    }

    func token(_ subject: String) -> String { Self.claims(subject).signed(by: TestKeys.ec) }

    /// Claims of a valid token of a subject, issued ten seconds ago.
    static func claims(_ subject: String) -> TestToken {
        let now = Int(Date().timeIntervalSince1970)
        return TestToken.good.with("iss", #""https://id.example""#).with("aud", #""orders""#).with(
            "sub", "\"\(subject)\""
        )
        .with("iat", "\(now - 10)").with("exp", "\(now + 600)")
    }

    /// Result of a command that ended.
    struct Outcome: CustomStringConvertible {
        let status: Int32?
        let output: String
        let errors: String

        var description: String { "\(status.map { "\($0)" } ?? "running")\n\(output)\n\(errors)" }
    }

    /// Runs `bearward deny` with the file `bearward.yaml` of this folder.
    func deny(_ arguments: String..., input: String = "") async throws -> Outcome {
        try await run(["deny", "--config", path("bearward.yaml")] + arguments, input: input)
    }

    func run(_ arguments: [String], input: String) async throws -> Outcome {
        let command = try BearwardProcess(arguments, input: input)
        let status = await command.exitStatus()
        return Outcome(status: status, output: command.standardOutput, errors: command.standardError)
    }

    /// Runs `bearward deny` as its user at a terminal does, who types these lines.
    ///
    /// - Parameter piped: file of this folder that is standard input. Nil if the terminal is.
    func denyAtTerminal(_ arguments: String, piped: String? = nil, typing lines: String) async throws -> Outcome {
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        let line = "'\(program)' deny --config '\(path("bearward.yaml"))' \(arguments)"
        let command = try BearwardProcess(
            program: Self.script,
            ["--quiet", "--return", "--command", line + (piped.map { " <'\(path($0))'" } ?? ""), "/dev/null"],
            input: lines)
        let status = await command.exitStatus()
        return Outcome(status: status, output: command.standardOutput, errors: command.standardError)
    }

    /// Program that gives another one a terminal.
    static let script = URL(fileURLWithPath: "/usr/bin/script")
    static let hasScript = FileManager.default.isExecutableFile(atPath: script.path)

    func call(
        _ body: String?, _ path: String = "", token: String? = DenialStand.operatorToken,
        type: String = "application/json",
        origin: String? = nil
    ) async throws -> (status: Int, body: String) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(adminPort)/api/denials\(path)")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let origin { request.headers.add(name: "Origin", value: origin) }
        if let body {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(string: body))
        }
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        return (Int(answer.status.code), String(buffer: try await answer.body.collect(upTo: 1 << 20)))
    }
}
