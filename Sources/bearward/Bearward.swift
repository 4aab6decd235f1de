import ArgumentParser
import ConfigurationFile
import Dispatch
import FoundationEssentials
import GatewayAssembly
import Glibc
import KeySetFetching
import StrictJSON
import Supervision

@main
enum Program {
    /// Runs the command. `serve` stays on this one thread; every other command runs as a task.
    static func main() {
        StandardStreams.secure()
        do {
            try Bearward.judge(firstWord: CommandLine.arguments.dropFirst().first)
            let command = try Bearward.parseAsRoot()
            guard let serve = command as? Serve else {
                if command is Worker { EarlySignals.note() }
                Task { await perform() }
                dispatchMain()
            }
            try serve.run()
        } catch {
            end(with: error)
        }
    }

    private static func perform() async -> Never {
        do {
            var command = try Bearward.parseAsRoot()
            if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
            exit(0)
        } catch {
            end(with: error)
        }
    }

    /// Prints help or a version on standard output, or an error on standard error, and exits.
    private static func end(with error: any Error) -> Never {
        let status = Bearward.exitCode(for: error)
        let text = Bearward.fullMessage(for: error)
        // A command that throws an exit code has already printed its message.
        guard !text.isEmpty else { exit(status.rawValue) }
        guard status.isSuccess else {
            guard status != .failure else { endUnforeseen(error) }
            StandardStreams.message(text)
            exit(status.rawValue)
        }
        do {
            try StandardStreams.data(text + "\n")
            exit(0)
        } catch {
            end(with: error)
        }
    }

    /// Exits after an error that no command handles.
    private static func endUnforeseen(_ error: any Error) -> Never {
        StandardStreams.tell(.error, PlainReason.of(error))
        exit(ExitCode.internalError.rawValue)
    }
}

/// The root command, `bearward`. It verifies bearer tokens in front of protected APIs.
struct Bearward: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bearward",
        abstract: "Verifies bearer tokens in front of protected APIs.",
        discussion: """
            Exit codes: 0 success, 1 a check, test or request failed, 64 wrong usage, 69 an address could not be bound \
            or reached, 70 internal error, 75 the clock is wrong, 78 the configuration file has errors, 141 the reader \
            of the output has gone.
            """,
        version: "bearward " + Version.text,
        subcommands: [
            Serve.self, Worker.self, Init.self, Check.self, Explain.self, PolicyTest.self, PolicyDiff.self, Schema.self,
            Health.self,
            Top.self, Why.self, Deny.self, ShowVersion.self,
        ],
    )

    /// Prefix of messages about errors in the command line. The parser reads it.
    static var _errorPrefix: String { StandardStreams.beginning(of: .error) }

    /// Rejects a first word that is not a command. The parser would complain about the options after it first.
    static func judge(firstWord word: String?) throws {
        guard let word, !word.hasPrefix("-") else { return }
        let commands = configuration.subcommands
        guard word != helpCommand, !commands.contains(where: { $0._commandName == word }) else { return }
        let shown = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let hint = NearestName.hint(for: word, among: shown + [helpCommand]).map { "; " + $0 } ?? ""
        throw ValidationError("unknown command `\(word.visible)`" + hint)
    }

    /// Name of the command that the parser itself adds.
    private static let helpCommand = "help"
}

extension ExitCode {
    /// An address could not be bound, or a server could not be reached (`EX_UNAVAILABLE`).
    static let unavailable = ExitCode(69)
    /// Internal error of Bearward (`EX_SOFTWARE`).
    static let internalError = ExitCode(70)
    /// The configuration file has errors (`EX_CONFIG`).
    static let configurationErrors = ExitCode(78)
    /// Temporary failure (`EX_TEMPFAIL` of `sysexits.h`).
    static let temporaryFailure = ExitCode(75)
    /// The reader of standard output has gone: the status that a shell reports for a program killed by SIGPIPE.
    static let outputUnread = ExitCode(141)
}
