import ArgumentParser

/// `bearward version`: prints the same as `--version`, for people who expect a command.
struct ShowVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Show the version, as --version does.")

    func run() throws {
        try StandardStreams.data(Bearward.configuration.version + "\n")
    }
}
