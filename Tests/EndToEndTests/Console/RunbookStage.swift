import Foundation
import Testing

/// The machine that the runbook speaks of: a gateway with its admin listener, state and log, an issuer and two targets.
final class RunbookStage {
    private static let file = """
        listen: 127.0.0.1:8080
        admin: {address: 127.0.0.1:9901, token_file: /etc/bearward/admin-token}
        state_directory: /var/lib/bearward
        access_log: /var/log/bearward/access.log
        limits: {failed_verifications_per_address: 5}
        issuers:
          company: {issuer: http://127.0.0.1:9100, token_type: at+jwt}
        resources:
          http://127.0.0.1:8080:
            issuers: [company]
            upstream: [http://127.0.0.1:9000, http://127.0.0.1:9002]
            rules: {GET /**: orders:read}
        """

    private let console: DocumentedConsole
    private var programs: [BearwardProcess] = []
    private var leakedToken = ""

    init(_ console: DocumentedConsole) async throws {
        self.console = console
        for name in ["bearward", "bearward-dev"] { try console.machine.provide(name, in: "bin") }
        try await console.type("mount -t tmpfs tmpfs /var/lib")
        try await console.type("mkdir -p /etc/bearward /var/lib/bearward /var/log/bearward")
        try await console.type("chmod 700 /var/lib/bearward")
        try await console.type("umask 077; openssl rand -hex 32 >/etc/bearward/admin-token")
        try await console.type("cat >/etc/bearward/bearward.yaml <<'END'\n\(Self.file)\nEND")
        try await start("bearward-dev issuer") {
            $0.standardOutput.contains("9100") || $0.standardError.contains("9100")
        }
        try await start("bearward-dev shop") { $0.standardOutput.contains("9000") || $0.standardError.contains("9000") }
        try await start("bearward-dev shop --listen 127.0.0.1:9002") {
            $0.standardOutput.contains("9002") || $0.standardError.contains("9002")
        }
        try await start("bearward serve") { $0.hasStarted }
        try await makeService()
        try await console.type("curl --retry 20 --retry-delay 1 --fail http://127.0.0.1:9901/readyz")
        try await refuseOne()
    }

    private func start(_ line: String, isReady: (BearwardProcess) -> Bool) async throws {
        let started = try console.machine.start(line)
        programs.append(started)
        try #require(await BearwardProcess.wait { isReady(started) }, "\(line): \(started.standardError)")
    }

    /// The gateway as the service whose unit is shipped, for `systemctl reload`.
    private func makeService() async throws {
        let gateway = try #require(programs.last)
        try await console.type(
            "mkdir -p /etc/systemd/system && sed \"s|/usr/bin/bearward|$(command -v bearward)|\""
                + " deploy/systemd/bearward.service >/etc/systemd/system/bearward.service"
                + " && echo \(gateway.process.processIdentifier) >/run/bearward.pid")
    }

    func expectReload() async throws {
        let gateway = try #require(programs.last)
        #expect(await BearwardProcess.wait { gateway.count(of: "Reloaded") == 1 }, "\(gateway.standardError)")
    }

    private func token(_ options: String) async throws -> String {
        try await console.type("bearward-dev token --audience http://127.0.0.1:8080 \(options)").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Has the log show a refused request, whose token and ID the reader of the page holds.
    private func refuseOne() async throws {
        let expired = try await token("--scope orders:read --expires-in=-3600")
        console.set("EXPIRED", expired)
        let answer = try await console.type(
            "curl -i -H 'Authorization: Bearer \(expired)' http://127.0.0.1:8080/orders")
        try #require(answer.answer == 401, "\(answer.output)")
        let id = try #require(answer.output.lowercased().firstMatch(of: /x-request-id: ([^\s]+)/))
        console.set("REQUEST_ID", String(id.output.1))
        leakedToken = try await token("--scope orders:read --subject user-7")
        console.set("LEAKED", leakedToken)
        try await waitForLog(String(id.output.1))
    }

    /// Sends the token of the user whom the page denies.
    func sendDeniedToken() async throws {
        let answer = try await console.type(
            "curl -i -H 'Authorization: Bearer \(leakedToken)' http://127.0.0.1:8080/orders")
        try #require(answer.answer == 401, "\(answer.output)")
        try await waitForLog("\"denied\"")
    }

    /// Sends more tokens with a wrong signature than one address may.
    func sendForgedTokens() async throws {
        let forged = leakedToken.dropLast(20) + String(repeating: "A", count: 20)
        try await console.type(
            "curl -o /dev/null -H 'Authorization: Bearer \(forged)' 'http://127.0.0.1:8080/orders?[1-50]'")
        try await waitForLog("\"rate_limited\"")
    }

    private func waitForLog(_ text: String) async throws {
        let log = "/var/log/bearward/access.log"
        try #require(
            await BearwardProcess.wait { self.console.machine.text(of: log).contains(text) },
            "\(console.machine.text(of: log))")
    }

    func end() async throws {
        try await console.type("rm /run/bearward.pid")
        for program in programs.reversed() {
            program.signal(SIGINT)
            _ = await program.exitStatus()
        }
    }
}
