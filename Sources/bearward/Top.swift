import ArgumentParser
import ConfigurationFile
import Files
import OperatorConsole
import UnixSignals

/// `bearward top`: shows the state of the running gateway in the terminal, until it is interrupted.
struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show traffic, issuers, upstreams, rules and refusals of the running gateway.",
        discussion: """
            Asks the running gateway, at the file's `admin` address, and draws the answer again and again until Ctrl-C. \
            With --once, or if standard output is no terminal, it is printed once. The heaviest callers and the latest \
            refusals name persons: they are shown if the file has `admin.token_file`.

            Exits with 0 if it was interrupted or has printed, with 1 if the gateway answers that it cannot, with 69 if \
            there is no answer in time, and with 78 if the file has errors or no `admin`.
            """)

    @OptionGroup var options: ConfigurationOptions

    private var file: ConfigurationSource { options.source }

    @Option(help: "How many seconds to wait before it is drawn again, 1 to 60.")
    var interval = 2

    @Flag(help: "Print it once, and all lines of it.")
    var once = false

    func validate() throws {
        guard (1...60).contains(interval) else { throw ValidationError("--interval is 1 to 60 seconds") }
    }

    func run() async throws {
        let (configuration, url) = try file.adminListener()
        do {
            let answers = try await TopAnswers(url: url, token: configuration.adminToken)
            guard !once, StandardStreams.outputIsTerminal else { return try print(answers.screen(after: nil)) }
            try await draw(answers, url, configuration.adminToken)
        } catch let failure as TopAnswers.Failure {
            throw exitCode(reporting: failure)
        }
    }

    private func print(_ screen: TopScreen) throws {
        let lines = screen.lines(columns: TerminalSize.ofStandardOutput.columns, rows: nil)
        try StandardStreams.data(lines.map { StandardStreams.paint($0) + "\n" }.joined())
    }

    /// Draws the gateway's answers until a signal, and restores the terminal.
    private func draw(_ first: TopAnswers, _ url: String, _ token: [UInt8]?) async throws {
        let pause = Duration.seconds(interval)
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let terminal = TerminalScreen()
        defer { terminal.leave() }
        try terminal.enter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { return } }
            group.addTask {
                var (earlier, answers) = (TopAnswers?.none, first)
                while true {
                    try terminal.draw(answers.screen(after: earlier))
                    try await Task.sleep(for: pause)
                    (earlier, answers) = (answers, try await TopAnswers(url: url, token: token))
                }
            }
            // The task that ends first ends the other.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func exitCode(reporting failure: TopAnswers.Failure) -> ExitCode {
        switch failure {
        case .noAnswer(let failure): return failure.reported()
        case .refused(let words):
            StandardStreams.tell(.error, words, of: file.name)
            return ExitCode(1)
        }
    }
}
