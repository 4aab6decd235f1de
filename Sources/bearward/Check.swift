import ArgumentParser
import ConfigurationFile

/// `bearward check`: say everything that is wrong with a file, without running anything.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a configuration file and report every problem at once.",
        discussion: "Ends with 0 if there is no error, 78 if there is one, and 69 if only --online failed.")

    @OptionGroup var file: ConfigurationOptions

    @Flag(help: "Also fetch each issuer's metadata and key set.")
    var online = false

    @Option(help: "How to print it: text on standard error, or one JSON object on standard output.")
    var format = OutputFormat.text

    func run() async throws {
        StandardStreams.secure()
        let result = file.load()
        var report = CheckReport(file: file.name, problems: result.problems)
        if format == .text { result.problems.forEach(file.tell) }
        if case .success(let configuration, _) = result {
            report.summary = configuration.summary
            if online { report.found = await configuration.checkKeySets { if format == .text { file.tell($0) } } }
            if format == .text, !report.isUnreachable { StandardStreams.message("\(file.name): fine (\(configuration.summary))") }
        }
        if format == .json { try StandardStreams.data(report.json) }
        guard report.summary != nil else { throw ExitCode.configurationErrors }
        if report.isUnreachable { throw ExitCode.unavailable }
    }
}

/// How a command prints what it found.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable { case text, json }
