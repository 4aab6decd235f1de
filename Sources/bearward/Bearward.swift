import ArgumentParser
import Dispatch
import FoundationEssentials
import GatewayAssembly
import Glibc
import Supervision

@main
enum Program {
    /// `serve` keeps to this one thread; every other command runs as a task.
    static func main() {
        do {
            let command = try Bearward.parseAsRoot()
            guard let serve = command as? Serve else {
                if command is Worker { EarlySignals.note() }
                Task {
                    await Bearward.main()
                    exit(0)
                }
                dispatchMain()
            }
            try serve.run()
        } catch {
            Bearward.exit(withError: error)
        }
    }
}

/// The command: it verifies bearer tokens in front of protected APIs.
struct Bearward: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bearward",
        abstract: "Verifies bearer tokens in front of protected APIs.",
        discussion: """
            Exit codes: 0 fine, 64 wrong usage, 69 an address could not be bound or reached, 70 internal error, 75 the clock cannot be \
            right, 78 the configuration file has errors.
            """,
        version: Version.text,
        subcommands: [
            Serve.self, Worker.self, Init.self, Check.self, Explain.self, PolicyTest.self, PolicyDiff.self, Schema.self, Health.self,
            Deny.self,
        ],
    )
}

extension ExitCode {
    /// An address could not be bound, or something could not be reached (`EX_UNAVAILABLE`).
    static let unavailable = ExitCode(69)
    /// Bearward itself is at fault (`EX_SOFTWARE`).
    static let internalError = ExitCode(70)
    /// The configuration file has errors (`EX_CONFIG`).
    static let configurationErrors = ExitCode(78)
    /// It may be different in a moment (`sysexits.h`).
    static let temporaryFailure = ExitCode(75)
}
