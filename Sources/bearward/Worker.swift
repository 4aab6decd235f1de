import ArgumentParser
import ConfigurationFile
import FoundationEssentials
import GatewayAssembly
import Glibc
import KeySetFetching
import KeySets
import Logging
import Logs
import Supervision
import TokenVerification
import UnixSignals

/// The worker process of `serve`: it accepts connections and answers requests.
struct Worker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Started by serve.", shouldDisplay: false)

    /// Environment variable with the path of the folder in which workers save key sets for their successors, if the
    /// file has no state directory.
    static let keySetsVariable = "BEARWARD_KEY_SETS"

    /// Environment variable with the descriptor of the file in which workers save addresses of upstreams' names for
    /// their successors, if the file has no state directory.
    static let namesVariable = "BEARWARD_NAMES_FD"

    private static let refusal: Logger.Message = "Reload refused; the running configuration stays"

    private static let shadowRefusal: Logger.Message = "Shadow file refused; the last good one stays, if there is one"

    @OptionGroup var option: ConfigurationOption

    private var file: ConfigurationSource { option.source(besides: nil) }

    @Option(help: .hidden)
    var shadow: String?

    @Flag(help: .hidden)
    var watch = false

    func run() async throws {
        let log = StandardStreams.queuedLog(thread: .permanent)
        defer { StandardStreams.finish() }
        let environment = ProcessInfo.processInfo.environment
        let role = WorkerRole(environment: environment)
        let supervision = role.map { WorkerPipes(role: $0) }
        // Examined before they are read, so that no change is missed.
        let changes = watch ? await watchedFiles() : []
        let result = file.load()
        if case .success(let configuration, _) = result { log.use(configuration.log) }
        let logger = log.logger
        for problem in result.problems { log.tell(problem, file: file.path) }
        guard case .success(let configuration, _) = result else { throw ExitCode.configurationErrors }
        supervision?.state(configuration.workerLimits)
        if let problem = configuration.memoryProblem { log.tell(problem, file: file.path) }
        guard NumericDate.plausible.contains(Moment.now.date) else {
            logger.error(
                "The clock is wrong; set it first, because tokens are judged by it",
                [.cause: "it shows \(Moment.now.date)"])
            throw ExitCode.temporaryFailure
        }
        if geteuid() == 0 {
            logger.warning("Running as root, which the gateway does not need; use a separate user")
        }
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup, .sigusr1, .sigquit)
        EarlySignals.sendAgain()
        let running: RunningGateway
        do {
            running = try await RunningGateway.start(
                configuration, environment: environment, keySetsDirectory: environment[Self.keySetsVariable],
                namesDescriptor: environment[Self.namesVariable].flatMap(UnnamedFile.inherited),
                succession: role.map { Succession(restarts: $0.restarts, hasPredecessor: $0.hasPredecessor) },
                droppedLogLines: { StandardStreams.droppedLines }, logger: logger)
        } catch {
            logger.error("The gateway cannot start", [.cause: "\(error)"])
            switch error {
            case .accessLog, .certificates, .denials: throw ExitCode.configurationErrors
            case .listener, .admin, .gateway: throw ExitCode.unavailable
            }
        }
        logger.notice(
            "Listening", [.addresses: .list(running.addresses), .version: .text(Version.text)])
        if let admin = await running.administration.address {
            logger.notice("Admin listener ready", [.address: .text(admin)])
        }
        supervision?.say(.ready)
        // No request needs the shadow, so the start does not wait for it.
        Task { await loadShadow(running, log) }
        // A changed file has the effect of a SIGHUP.
        let watches = changes.map { change in Task { await change.run { kill(getpid(), SIGHUP) } } }
        defer { watches.forEach { $0.cancel() } }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await serve(running, signals, supervision, log) }
            if let supervision {
                group.addTask {
                    for await word in supervision.words {
                        do {
                            try await running.accept(isPredecessorSilent: word == .acceptBesideSilent)
                        } catch {
                            return logger.error("Connections cannot be accepted", [.cause: "\(error)"])
                        }
                    }
                    guard !Task.isCancelled else { return }
                    logger.error("The supervisor is gone; draining")
                    await running.drain()
                }
            }
            // The task that ends first ends the others.
            await group.next()
            group.cancelAll()
        }
    }

    /// Watches for the files that SIGHUP reloads.
    private func watchedFiles() async -> [FileChanges] {
        var files: [FileChanges] = []
        for path in [file.path, shadow].compactMap({ $0 }) { files.append(await FileChanges(path: path)) }
        return files
    }

    private func serve(
        _ running: RunningGateway, _ signals: UnixSignalsSequence, _ supervision: WorkerPipes?, _ log: OperationalLog
    ) async {
        // Reloads run one after another. A reload that waits for keys does not delay the end of the process.
        var reloads: Task<Void, Never>?
        var shadows: Task<Void, Never>?
        for await signal in signals {
            switch signal {
            case .sighup:
                reloads = Task { [reloads, self] in
                    await reloads?.value
                    await reload(running, supervision, log)
                }
                shadows = Task { [shadows, reloads, self] in
                    await shadows?.value
                    await reloads?.value
                    await loadShadow(running, log)
                }
            case .sigusr1: await running.reopenAccessLog()
            case .sigquit:
                log.logger.notice("Handing over")
                await running.handOver()
                supervision?.say(.stoppedAccepting)
                return await running.drain()
            default:
                log.logger.notice("Draining", [.signal: "\(signal)"])
                return await running.drain()
            }
        }
    }

    private func reload(_ running: RunningGateway, _ supervision: WorkerPipes?, _ log: OperationalLog) async {
        await running.reopenAccessLog()
        switch file.load() {
        case .failure(let problems):
            for problem in problems { log.tell(problem, file: file.path) }
            let errors = problems.count { $0.severity == .error }
            log.logger.error(Self.refusal, [.file: .text(file.path), .errors: .number(errors)])
            await running.administration.reloadRefused(
                problems.first { $0.severity == .error }?.rendered(file: file.path) ?? "")
        case .success(let new, let warnings):
            for warning in warnings { log.tell(warning, file: file.path) }
            do {
                try await running.reload(to: new)
                supervision?.state(new.workerLimits)
                log.use(new.log)
                log.logger.notice("Reloaded", [.file: .text(file.path)])
            } catch {
                log.logger.error(Self.refusal, [.file: .text(file.path), .cause: "\(error)"])
                await running.administration.reloadRefused("\(error)")
            }
        }
    }
}

extension Worker {
    /// Loads the file of `--shadow`, if there is one. Its problems are logged and do not affect serving.
    fileprivate func loadShadow(_ running: RunningGateway, _ log: OperationalLog) async {
        guard let shadow else { return }
        let result = await ShadowFile(path: shadow).loadAside()
        for problem in result.problems { log.tell(problem, file: shadow) }
        switch result {
        case .success(let configuration, _):
            await running.shadow.put(configuration)
            log.logger.notice("Shadow in place", [.file: .text(shadow)])
        case .failure(let problems):
            let errors = problems.filter { $0.severity == .error }
            log.logger.error(Self.shadowRefusal, [.file: .text(shadow), .errors: .number(errors.count)])
            await running.shadow.refuse(errors.first?.rendered(file: shadow) ?? "")
        }
    }
}
