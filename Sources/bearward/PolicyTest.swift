import ArgumentParser
import ConfigurationFile
import FoundationEssentials
import IssuerProfiles
import PolicyTrials
import TokenVerification

/// `bearward test`: judges the requests of a test file with a configuration, and reports unexpected answers.
struct PolicyTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Judge the requests of a file of tests, and say which are not answered as expected.",
        usage: "bearward test [FILE] TESTS [OPTION ...]",
        discussion: """
            Nothing is served, fetched or sent. Each token counts as signed by its issuer; everything else is judged \
            as `serve` would. Exits with 0 if all is as expected, 1 if not, and 78 if one of the two files has errors.
            """)

    @OptionGroup var option: ConfigurationOption

    @Argument(
        help: "The file of tests (YAML). The configuration file may precede it, as with --config.",
        completion: .file(extensions: ["yaml", "yml"]))
    var files: [String]

    /// Path of the test file: the last argument.
    private var tests: String { files.last ?? "" }
    /// The configuration file. Nil if none is given before the test file.
    private var argument: String? { files.count > 1 ? files.first : nil }

    private var file: ConfigurationSource { option.source(besides: argument) }

    @Option(help: "How to print it.")
    var format = PolicyTestFormat.text

    @Flag(
        help: """
            Also fail unless the tests have, for each rule, a permitted and a refused request, and, for each part of a \
            requirement, a request that is refused only for it.
            """)
    var requireCoverage = false

    @Flag(help: "Also weaken the configuration in many ways, one at a time; fail for each change that no test notices.")
    var mutate = false

    @Flag(
        help: """
            Print the tests that are missing, as a file of tests, in place of the report: a request for each rule that lets none in, and \
            for each mutant that no test notices. TESTS need not exist yet.
            """)
    var propose = false

    func validate() throws {
        if propose, requireCoverage || mutate || format != .text {
            throw ValidationError(
                "--propose prints tests and no report: leave --format, --mutate and --require-coverage out")
        }

        guard (1...2).contains(files.count) else { throw ValidationError("name one file of tests: test [FILE] TESTS") }
        try option.judge(besides: argument)
    }

    func run() throws {
        let configuration = try file.loadOrExit()
        let stated = try stated(configuration)
        let trial = try PolicyTrial(stated, of: configuration, at: NumericDate(clock: Date().timeIntervalSince1970))
        if propose { return try printMissing(trial) }
        let report = PolicyReport(
            configuration: file.name, tests: tests, results: trial.results, coverage: trial.coverage(),
            requiresCoverage: requireCoverage, mutations: mutate ? trial.mutate() : nil)
        switch format {
        case .text: try StandardStreams.data(report.text(StandardStreams.paint))
        case .json: try StandardStreams.data(report.json)
        case .junit: try StandardStreams.data(report.junit)
        }
        guard report.isFine else { throw ExitCode(1) }
    }

    private func stated(_ configuration: Configuration) throws -> PolicyTestsFile {
        if propose, !FileManager.default.fileExists(atPath: tests) {
            StandardStreams.tell(.note, "there is no such file, so every test is missing", of: tests)
            return .none
        }
        let read = PolicyTestsFile.load(
            path: tests, for: configuration, samples: ProviderToken.names,
            environment: ProcessInfo.processInfo.environment)
        for problem in read.problems {
            StandardStreams.tell(problem, of: tests)
        }
        guard case .success(let stated, _) = read else { throw ExitCode.configurationErrors }
        return stated
    }

    /// Prints the missing tests. Fails if a test fails, because it then counts as missing, or if a gap stays.
    private func printMissing(_ trial: PolicyTrial) throws {
        let proposed = try trial.proposals()
        try StandardStreams.data(proposed.text)
        let failed = trial.results.filter { !$0.isFine }
        for result in failed {
            let message = "failed, so it counts as missing: \(result.name)"
            StandardStreams.tell(Problem(.error, at: result.place.position, message: message), of: tests)
        }
        for gap in proposed.unresolved {
            let message = "no request was found for: \(gap.text)"
            StandardStreams.tell(Problem(.warning, at: gap.place.position, message: message), of: file.name)
        }
        guard failed.isEmpty, proposed.unresolved.isEmpty else { throw ExitCode(1) }
    }
}

/// Output format of `bearward test`.
enum PolicyTestFormat: String, ExpressibleByArgument, CaseIterable { case text, json, junit }
