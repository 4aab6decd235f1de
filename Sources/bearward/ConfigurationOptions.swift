import ArgumentParser
import ConfigurationFile
import FoundationEssentials
import ProxySettings
import TransportSecurity

/// The file that every subcommand works from.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: [.customShort("c"), .long], help: "The configuration file (YAML); - reads it from standard input.",
        completion: .file(extensions: ["yaml", "yml"]))
    var config = "/etc/bearward/bearward.yaml"

    var isStandardInput: Bool { config == "-" }

    /// What problems call the file.
    var name: String { isStandardInput ? "<stdin>" : config }

    /// Reads and checks the file.
    func load() -> LoadResult {
        let environment = ProcessInfo.processInfo.environment
        guard isStandardInput else { return Configuration.load(path: config, environment: environment, checkIdentity: .library) }
        let bytes = StandardStreams.input(longest: Configuration.largestFile)
        return Configuration.load(bytes: bytes, directory: "", environment: environment, checkIdentity: .library)
    }

    /// The configuration; every problem is told on standard error, and with an error among them the command ends.
    func loadOrExit() throws -> Configuration {
        let result = load()
        for problem in result.problems { tell(problem) }
        guard case .success(let configuration, _) = result else { throw ExitCode.configurationErrors }
        return configuration
    }

    /// Tells a problem on standard error, with a mark under its place where the text itself cannot be read.
    func tell(_ problem: Problem) {
        StandardStreams.tell(problem, of: name)
    }
}
