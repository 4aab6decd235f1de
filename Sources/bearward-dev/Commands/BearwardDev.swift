import ArgumentParser
import GatewayAssembly

/// `bearward-dev`: what a developer needs beside the gateway. It makes tokens, so others must never be able to reach it.
@main
struct BearwardDev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bearward-dev",
        abstract: "Try Bearward out: a demo, a development issuer, tokens.",
        discussion: "For development and tests only: whoever reaches the issuer gets the token they ask for.",
        version: Version.text,
        subcommands: [DemoCommand.self, IssuerCommand.self, TokenCommand.self],
    )
}
