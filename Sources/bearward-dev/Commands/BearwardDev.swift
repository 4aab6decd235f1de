import ArgumentParser
import GatewayAssembly

/// `bearward-dev`: development tools besides the gateway.
///
/// It makes tokens for anyone, so others must never be able to reach it.
@main
struct BearwardDev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bearward-dev",
        abstract: "Try Bearward out: a demo, a development issuer, a sample upstream, tokens.",
        discussion: """
            For development and tests only: anyone who can reach the issuer gets any token.

            Exit codes: 0 success, 64 wrong usage, 69 an address could not be bound or reached, 70 unexpected answers \
            or an internal error, 78 the demo's file has errors.
            """,
        version: "bearward-dev " + Version.text,
        subcommands: [DemoCommand.self, IssuerCommand.self, ShopCommand.self, TokenCommand.self],
    )

    /// Prefix of messages about errors in the command line. The parser reads it.
    static var _errorPrefix: String { StandardError.beginningOfError }
}
