import ArgumentParser
import ConfigurationFile
import GatewayAssembly

/// `bearward check`: reports all problems of a configuration file, without running anything.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a configuration file and report every problem at once.",
        discussion: """
            Exits with 0 if there is no error, 78 if there is one, 69 if only --online failed, and 1 if there are only \
            warnings and --strict is given.
            """)

    @OptionGroup var options: ConfigurationOptions

    private var file: ConfigurationSource { options.source }

    @Flag(
        help: """
            Also fetch each issuer's metadata and keys, send a made-up token if introspection is configured, and \
            connect to each upstream. No request is sent to an upstream.
            """)
    var online = false

    @Flag(
        help: """
            Fail for warnings too. Warnings that depend on the date, such as an expiring certificate, are printed but \
            do not fail; neither do notes.
            """)
    var strict = false

    @Flag(
        name: .shortAndLong,
        help: "Print only what fails: no notes, no `fine`, and without --strict no warnings. JSON has everything.")
    var quiet = false

    @Option(help: "How to print it: text on standard error, or one JSON object on standard output.")
    var format = OutputFormat.text

    func run() async throws {
        let result = file.load()
        var problems = result.problems
        if case .success(let configuration, _) = result, let problem = configuration.memoryProblem {
            problems.append(problem)
        }
        var report = CheckReport(file: file.name, isStrict: strict, problems: problems)
        for problem in problems { tell(problem, of: report) }
        if case .success(let configuration, _) = result {
            report.summary = configuration.summary
            if online { report.found = await reach(configuration, report) }
            if format == .text { tellOutcome(report, configuration.summary) }
        }
        if format == .json { try StandardStreams.data(report.json) }
        guard report.summary != nil else { throw ExitCode.configurationErrors }
        if report.isUnreachable { throw ExitCode.unavailable }
        if !report.isFine { throw ExitCode.failure }
    }

    /// Prints the last line about a file without errors.
    private func tellOutcome(_ report: CheckReport, _ summary: String) {
        if report.isFine {
            if !quiet { StandardStreams.message("\(file.name): fine (\(summary))") }
        } else if !report.isUnreachable {
            let count = report.failingWarnings
            StandardStreams.tell(
                .error, "\(count) warning\(count == 1 ? "" : "s"); --strict permits none", of: file.name)
        }
    }

    /// Fetches data of all issuers, and connects to all upstreams.
    private func reach(_ configuration: Configuration, _ report: CheckReport) async -> [Problem] {
        await configuration.checkIssuers { tell($0, of: report) }
            + UpstreamTrial(configuration).run { tell($0, of: report) }
    }

    private func tell(_ problem: Problem, of report: CheckReport) {
        guard format == .text, !quiet || report.fails(problem) else { return }
        file.tell(problem)
    }
}

/// Output format of a command.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable { case text, json }
