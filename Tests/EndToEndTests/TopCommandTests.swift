import Foundation
import NIOHTTP1
import TestSupport
import Testing

/// `bearward top`, beside the running gateway, in a pipe and in a terminal.
@Suite(.serialized) struct TopCommandTests {
    private static func top(_ stand: DenialStand, _ arguments: String...) async throws -> DenialStand.Outcome {
        try await stand.run(["top", "--config", stand.path("bearward.yaml")] + arguments, input: "")
    }

    @Test func `all panels are printed once where standard output is no terminal`() async throws {
        try await DenialStand.withRefusal { stand, served, _ in
            // Event loops hand over their counts at a tick, and an overview is read once a second.
            let isCounted = try await BearwardProcess.wait {
                try await served.administration("/api/overview").body.contains(#""reason":"expired""#)
            }
            #expect(isCounted)
            for arguments in [[], ["--once"]] {
                let shown = try await stand.run(
                    ["top", "--config", stand.path("bearward.yaml")] + arguments, input: "")
                #expect(shown.status == 0, "\(shown)")
                for part in [
                    " · ● ready\n", "\nfile: generation 1 · SHA-256 ", "\nTRAFFIC ", "\nISSUERS ", "\nlogto  ",
                    "\nUPSTREAMS", "\norders GET /**", "\nexpired ", "\nSOON", "\nsubject", "401 expired",
                ] {
                    #expect(shown.output.contains(part), "\(part): \(shown)")
                }
                #expect(!shown.output.contains("\u{1B}"))
            }
            // Without the token: no persons.
            try stand.put(stand.text(operators: false), "bearward.yaml")
            let without = try await Self.top(stand)
            #expect(without.status == 0 && without.output.contains("need `admin.token_file`"), "\(without)")
            #expect(!without.output.contains("\nCALLERS") && !without.output.contains("\nREFUSALS"))
            // With another one: the gateway's words.
            try stand.put(stand.text(), "bearward.yaml")
            try stand.put(String(repeating: "f", count: 32), "token")
            let other = try await Self.top(stand)
            #expect(other.status == 0 && other.output.contains("callers: the gateway answered 401: "), "\(other)")
        }
    }

    @Test func `a gateway that is not there is 69, and wrong usage is 64`() async throws {
        let stand = try DenialStand(upstream: "http://127.0.0.1:1")
        try stand.put(stand.text(), "bearward.yaml")
        let gone = try await Self.top(stand)
        #expect(gone.status == 69 && gone.errors.contains("no answer from http://127.0.0.1:"), "\(gone)")
        #expect(gone.output.isEmpty)
        for interval in ["0", "61", "x"] { #expect(try await Self.top(stand, "--interval", interval).status == 64) }
        try stand.put(stand.text().replacing(/admin: .*\n/, with: ""), "bearward.yaml")
        #expect(try await Self.top(stand).status == 78)
    }

    @Test(.enabled(if: DenialStand.hasScript, "script is not installed"), arguments: ["INT", "TERM"])
    func `a terminal is drawn again until a signal, and then restored`(signal: String) async throws {
        try await DenialStand.withRefusal { stand, _, _ in
            let shown = try await Self.atTerminal(stand, "timeout --foreground --preserve-status -s \(signal) 3")
            #expect(shown.status == 0, "\(shown)")
            #expect(shown.output.hasPrefix("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[H"))
            #expect(shown.output.hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
            let screens = shown.output.components(separatedBy: "\u{1B}[H").dropFirst()
            #expect(screens.count >= 2, "\(screens.count)")
            // The terminal does not know its size.
            for screen in screens { #expect(screen.components(separatedBy: "\r\n").count <= 25) }
            #expect(screens.allSatisfy { !$0.contains("\u{1B}[2J") })
            #expect(screens.last?.contains("req/s") == true)
        }
    }

    @Test(.enabled(if: DenialStand.hasScript, "script is not installed"))
    func `a terminal is restored before the message if the gateway is gone`() async throws {
        try await DenialStand.withRefusal { stand, served, _ in
            async let shown = Self.atTerminal(stand, "timeout --foreground 30")
            try await Task.sleep(for: .seconds(2))
            await served.stop()
            let outcome = try await shown
            #expect(outcome.status == 69, "\(outcome)")
            let end = outcome.output.components(separatedBy: "\u{1B}[?1049l").last ?? ""
            #expect(end.contains("error") && end.contains("no answer from "), "\(outcome)")
        }
    }

    /// Runs the command as its user at a terminal does, drawing each second.
    ///
    /// - Parameter prefix: command that runs it.
    private static func atTerminal(_ stand: DenialStand, _ prefix: String) async throws -> DenialStand.Outcome {
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        let line = "\(prefix) '\(program)' top --interval 1 --config '\(stand.path("bearward.yaml"))'"
        let command = try BearwardProcess(
            program: DenialStand.script, ["--quiet", "--return", "--command", line, "/dev/null"])
        let status = await command.exitStatus()
        return DenialStand.Outcome(status: status, output: command.standardOutput, errors: command.standardError)
    }
}
