import ArgumentParser
import ConfigurationFile
import FoundationEssentials
import TransportSecurity

/// The configuration file that a command reads: named on the command line, or the default one.
struct ConfigurationSource {
    /// Path of the default file, read if none is named.
    static let usual = "/etc/bearward/bearward.yaml"

    let path: String

    var isStandardInput: Bool { path == "-" }

    /// Name of the file in messages.
    var name: String { isStandardInput ? "<stdin>" : path }

    /// Reads and checks the file.
    func load() -> LoadResult<Configuration> {
        let environment = ProcessInfo.processInfo.environment
        guard isStandardInput else {
            return Configuration.load(path: path, environment: environment, checkIdentity: .library)
        }
        let bytes = StandardStreams.input(longest: Configuration.largestFile)
        return Configuration.load(bytes: bytes, directory: "", environment: environment, checkIdentity: .library)
    }

    /// Loads the configuration. Prints every problem on standard error, and throws an exit code if one is an error.
    func loadOrExit() throws -> Configuration {
        let result = load()
        result.problems.forEach(tell)
        guard case .success(let configuration, _) = result else { throw ExitCode.configurationErrors }
        return configuration
    }

    /// Prints a problem on standard error.
    func tell(_ problem: Problem) { StandardStreams.tell(problem, of: name) }
}
