import ArgumentParser
import ConfigurationFile
import FoundationEssentials
import TransportSecurity

/// The file that a command works from, wherever the command line names it.
struct ConfigurationSource {
    /// The file of the system, which is meant if none is named.
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

    /// The configuration; every problem is told on standard error, and with an error among them the command ends.
    func loadOrExit() throws -> Configuration {
        let result = load()
        result.problems.forEach(tell)
        guard case .success(let configuration, _) = result else { throw ExitCode.configurationErrors }
        return configuration
    }

    /// Tells a problem on standard error.
    func tell(_ problem: Problem) { StandardStreams.tell(problem, of: name) }
}
