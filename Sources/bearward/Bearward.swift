import ArgumentParser

/// The command: one process that verifies bearer tokens in front of protected APIs.
@main
struct Bearward: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bearward",
        abstract: "Verifies bearer tokens in front of protected APIs.",
        discussion: """
            Exit codes: 0 fine, 64 wrong usage, 69 an address could not be bound or reached, 70 internal error, 78 the configuration \
            file has errors.
            """,
        subcommands: [Serve.self, Check.self, Explain.self],
    )
}

extension ExitCode {
    /// An address could not be bound, or something could not be reached (`EX_UNAVAILABLE`).
    static let unavailable = ExitCode(69)
    /// Bearward itself is at fault (`EX_SOFTWARE`).
    static let internalError = ExitCode(70)
    /// The configuration file has errors (`EX_CONFIG`).
    static let configurationErrors = ExitCode(78)
}
