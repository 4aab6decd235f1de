import ArgumentParser
import ConfigurationFile
import FoundationEssentials
import PolicyTrials
import TransportSecurity

/// `bearward diff`: shows which requests two configurations answer differently.
struct PolicyDiff: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Say which requests two configuration files answer differently, each with one such request.",
        discussion: """
            Nothing is served, fetched or sent. For each pair of rules, one of each file, it prints a request that is \
            now allowed, now refused, or forwarded differently, with the smallest token that shows it. Exits with 0 if \
            nothing became allowed, 1 if something did or if that is undecided, and 78 if one of the files has errors.
            """)

    @Argument(help: "The file in force (YAML).", completion: .file(extensions: ["yaml", "yml"]))
    var old: String

    @Argument(help: "The file to replace it (YAML).", completion: .file(extensions: ["yaml", "yml"]))
    var new: String

    @Option(help: "How to print it.")
    var format = OutputFormat.text

    @Option(help: ArgumentHelp("Maximum number of differences to print; all are counted.", valueName: "count"))
    var most = 100

    func validate() throws {
        guard most >= 0 else { throw ValidationError("--most is 0 or more") }
    }

    func run() throws {
        // Both files are loaded first, so that all problems of both are printed.
        let files = [Self.load(old), Self.load(new)].compactMap { $0 }
        guard files.count == 2, let old = files.first, let new = files.last else { throw ExitCode.configurationErrors }
        let comparison = try PolicyComparison(old, new)
        let report = DifferenceReport(
            old: self.old, new: self.new, differences: comparison.differences, notCompared: NotCompared(old, new).lines,
            undecided: comparison.undecided)
        switch format {
        case .text: try StandardStreams.data(report.text(most: most, StandardStreams.paint))
        case .json: try StandardStreams.data(report.json(most: most))
        }
        for request in comparison.contradictions {
            StandardStreams.tell(.error, "the comparison contradicts itself at \(request); report this as a defect")
        }
        guard comparison.contradictions.isEmpty else { throw ExitCode.internalError }
        guard report.widensNothing else { throw ExitCode(1) }
    }

    /// Loads a configuration and prints its problems. Nil if it has errors.
    private static func load(_ path: String) -> Configuration? {
        let environment = ProcessInfo.processInfo.environment
        let result = Configuration.load(path: path, environment: environment, checkIdentity: .library)
        for problem in result.problems {
            StandardStreams.tell(problem, of: path)
        }
        guard case .success(let configuration, _) = result else { return nil }
        return configuration
    }
}
