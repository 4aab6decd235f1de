import ArgumentParser
import ConfigurationFile
import FoundationEssentials
import Logging
import Logs
import ReverseProxy
import Supervision

/// `bearward serve`: hold the listening sockets, and keep a worker at work behind them.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the gateway.",
        discussion: """
            SIGTERM or SIGINT drains and ends it. SIGHUP reads the file again; a file with errors is reported, and what runs stays. \
            SIGUSR1 reopens the access log. SIGUSR2 starts the program anew as it is on disk now, and lets the old one end; no \
            connection is refused meanwhile. With --shadow every request is judged by another file as well, which is read again on \
            SIGHUP too; what it would answer otherwise is told in the access log and in metrics, and done nowhere.
            """,
    )

    @OptionGroup var options: ConfigurationOptions

    private var file: ConfigurationSource { options.source }

    @Option(
        help: "A second file by which requests are judged beside the first, without a say.",
        completion: .file(extensions: ["yaml", "yml"]))
    var shadow: String?

    @Flag(help: "Read the file again when it changes, as on SIGHUP.")
    var watch = false

    func validate() throws {
        guard !file.isStandardInput else {
            throw ValidationError("serve reads its file again on SIGHUP, so it needs one: serve FILE")
        }
        guard shadow != "-" else {
            throw ValidationError("serve reads the shadow again on SIGHUP, so it needs a file: --shadow FILE")
        }
    }

    /// One thread, which waits for signals and for nothing else: it must not suspend. The only other one is there while
    /// a message is written, so that a message without a reader delays neither a signal nor the start of a worker.
    func run() throws {
        // They come from service managers and log rotation, which do not know how far it is.
        Supervisor.holdSignals()
        let log = StandardStreams.queuedLog(thread: .whileNeeded)
        defer { StandardStreams.finish() }
        let result = file.load()
        guard case .success(let configuration, _) = result else {
            // Nothing says yet how to log, and whoever starts a gateway is waiting.
            result.problems.forEach(file.tell)
            throw ExitCode.configurationErrors
        }
        if let shadow, case .failure(let problems) = ShadowFile(path: shadow).load() {
            // Nothing is served yet, and whoever names a file wants to hear of it.
            for problem in problems { StandardStreams.tell(problem, of: shadow) }
            throw ExitCode.configurationErrors
        }
        log.use(configuration.log)
        let logger = log.logger
        var environment = ProcessInfo.processInfo.environment
        let sockets: [ListeningSocket]
        do {
            sockets = try ListeningSocket.adopted(
                from: environment, orBinding: configuration.listenersAndDoors.map(\.address.text))
        } catch {
            logger.error("The gateway cannot start", [.cause: "\(error)"])
            throw ExitCode.unavailable
        }
        try Self.check(sockets, against: configuration, logger)
        let keySets = configuration.stateDirectory == nil ? TemporaryDirectory(named: "bearward") : nil
        defer { keySets?.remove() }
        environment[Worker.keySetsVariable] = keySets?.path
        environment[Worker.namesVariable] =
            configuration.stateDirectory == nil ? Self.namesFile(besides: sockets.count, logger) : nil
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            logger.error(
                "The gateway cannot start",
                [.cause: "the program does not find itself: /proc is not mounted, or may not be read"])
            throw ExitCode.unavailable
        }
        var supervisor = Supervisor(
            program: program,
            arguments: [Worker.configuration.commandName ?? "worker", "--config", file.path]
                + (shadow.map { ["--shadow", $0] } ?? [])
                + (watch ? ["--watch"] : []),
            sockets: sockets.map(\.descriptor), environment: environment, limits: configuration.workerLimits,
        ) { Self.report($0, to: logger) }
        let status = supervisor.run()
        guard status == 0 else { throw ExitCode(status) }
    }

    /// Descriptor of a file in which workers leave addresses of upstreams' names to each other. Nil if they do without.
    private static func namesFile(besides sockets: Int, _ logger: Logger) -> String? {
        do throws(SupervisionFailure) {
            return String(try UnnamedFile.make(besides: sockets))
        } catch {
            logger.warning("Addresses of upstreams' names will not outlive a worker", [.cause: "\(error)"])
            return nil
        }
    }

    /// Every listener has a socket. Sockets of a service manager replace binding, so a listener without one would never
    /// accept.
    private static func check(_ sockets: [ListeningSocket], against configuration: Configuration, _ logger: Logger)
        throws
    {
        let ports = Set(sockets.map(\.port))
        let missing = configuration.listenersAndDoors.map(\.address).filter { $0.port != 0 && !ports.contains($0.port) }
        for address in missing {
            logger.error(
                "Sockets were handed over, but none for a listener; name its port in the socket unit, or remove it from listen",
                [.address: .text(address.text)])
        }
        if !missing.isEmpty { throw ExitCode.configurationErrors }
    }
}
