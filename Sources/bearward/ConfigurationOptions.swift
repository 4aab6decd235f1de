import ArgumentParser
import ConfigurationFile
import Foundation
import ProxySettings
import TransportSecurity

/// The file that every subcommand works from.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file (YAML).", completion: .file(extensions: ["yaml", "yml"]))
    var config: String

    /// Reads and checks the file.
    func load() -> LoadResult {
        Configuration.load(path: config, environment: ProcessInfo.processInfo.environment, checkIdentity: .library)
    }

    /// The configuration; every problem is told on standard error, and with an error among them the command ends.
    func loadOrExit() throws -> Configuration {
        let result = load()
        for problem in result.problems { StandardStreams.message(problem.rendered(file: config)) }
        guard case .success(let configuration, _) = result else { throw ExitCode.configurationErrors }
        return configuration
    }
}
