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
        StandardStreams.message(problem.rendered(file: name, inColour: StandardStreams.errorTakesColour))
        if let pointed = problem.pointed { StandardStreams.message(pointed) }
    }
}

extension Problem {
    fileprivate func rendered(file: String, inColour: Bool) -> String {
        let line = rendered(file: file)
        let place = "\(file):\(self.line):\(column): "
        guard inColour, line.hasPrefix(place) else { return line }
        let colour =
            switch severity {
            case .error: "31"
            case .warning: "33"
            case .note: "36"
            }
        let rest = line.dropFirst(place.count + severity.rawValue.count)
        return "\u{1B}[1m\(place)\u{1B}[\(colour)m\(severity.rawValue)\u{1B}[0m\(rest)"
    }
}
