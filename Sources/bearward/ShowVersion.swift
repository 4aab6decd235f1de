import ArgumentParser

/// `bearward version`: the same as `--version`, which is what others call it.
struct ShowVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Show the version, as --version does.")

    func run() throws {
        try StandardStreams.data(Bearward.configuration.version + "\n")
    }
}
