import ArgumentParser
import ConfigurationFile
import FoundationEssentials
import Logging
import Logs
import ReverseProxy
import Supervision

/// `bearward serve`: holds the listening sockets and keeps a worker process running that serves them.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the gateway.",
        discussion: """
            SIGTERM or SIGINT drains and stops it. SIGHUP reads the file again; a file with errors is reported, and \
            the running configuration stays. SIGUSR1 reopens the access log. SIGUSR2 starts the program anew as it is \
            on disk now, and stops the old one; no connection is refused meanwhile. With --shadow every request is \
            also judged by a second file, which SIGHUP reads again too; differing answers appear in the access log and \
            in metrics, and have no effect.
            """,
    )

    @OptionGroup var options: ConfigurationOptions

    private var file: ConfigurationSource { options.source }

    @Option(
        help: "A second file that requests are also judged by, without effect on them.",
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

    /// Runs the supervisor on this one thread, which only waits for signals and must not suspend.
    ///
    /// A second thread exists only while a log message is written. A message without a reader therefore delays neither
    /// a signal nor the start of a worker.
    func run() throws {
        // Service managers and log rotation may send signals before the start is complete.
        Supervisor.holdSignals()
        let log = StandardStreams.queuedLog(thread: .whileNeeded)
        defer { StandardStreams.finish() }
        let result = file.load()
        guard case .success(let configuration, _) = result else {
            // The log settings are not known yet, and the person who starts the gateway waits for the message.
            result.problems.forEach(file.tell)
            throw ExitCode.configurationErrors
        }
        if let shadow, case .failure(let problems) = ShadowFile(path: shadow).load() {
            // Nothing is served yet, and the person who named the file wants to see its problems.
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
                [.cause: "the path of the program cannot be determined: /proc is not mounted or not readable"])
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

    /// Makes a file in which workers save addresses of upstreams' names for their successors, and returns its
    /// descriptor. Nil if that fails.
    private static func namesFile(besides sockets: Int, _ logger: Logger) -> String? {
        do throws(SupervisionFailure) {
            return String(try UnnamedFile.make(besides: sockets))
        } catch {
            logger.warning("Addresses of upstreams' names cannot be passed on to the next worker", [.cause: "\(error)"])
            return nil
        }
    }

    /// Checks that each listener has a socket. A service manager's sockets replace binding, so a listener without one
    /// would never accept connections.
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
