import ArgumentParser
import ConfigurationFile
import Foundation
import GatewayAssembly
import LogOutput
import Logging
import Supervision
import UnixSignals

/// What `serve` starts: the process that accepts connections and answers requests.
struct Worker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "worker", abstract: "Started by serve.", shouldDisplay: false)

    /// Where key sets are kept for the next worker, unless the file says where.
    static let keySetsVariable = "BEARWARD_KEY_SETS"

    /// No clock that is right says less than 2026-11-01.
    private static let earliestClock = Date(timeIntervalSince1970: 1_793_491_200)

    @OptionGroup var file: ConfigurationOptions

    func run() async throws {
        StandardStreams.secure()
        StandardStreams.queueMessages(thread: .permanent)
        defer { StandardStreams.finish() }
        let logger = Logger(label: "bearward")
        let environment = ProcessInfo.processInfo.environment
        let role = WorkerRole(environment: environment)
        guard Date() >= Self.earliestClock else {
            StandardStreams.message("bearward: the clock says \(Date()); set it first, because tokens are judged by it")
            throw ExitCode.temporaryFailure
        }
        if geteuid() == 0 { logger.warning("running as root, whose rights the gateway does not need; run it as a user of its own") }
        let configuration = try file.loadOrExit()
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup, .sigusr1, .sigquit)
        let running: RunningGateway
        do {
            running = try await RunningGateway.start(
                configuration, environment: environment, keySetsDirectory: environment[Self.keySetsVariable],
                succession: role.map { Succession(restarts: $0.restarts, hasPredecessor: $0.hasPredecessor) },
                droppedLogLines: { StandardStreams.droppedLines }, logger: logger)
        } catch {
            StandardStreams.message("bearward: \(error)")
            switch error {
            case .accessLog, .certificates: throw ExitCode.configurationErrors
            case .listener, .admin, .gateway: throw ExitCode.unavailable
            }
        }
        logger.notice(
            "listening", metadata: ["addresses": "\(running.addresses.joined(separator: " "))", "version": "\(Version.text)"])
        if let admin = await running.adminAddress { logger.notice("administration", metadata: ["address": "\(admin)"]) }
        let supervision = role.map { Supervision(role: $0) }
        supervision?.say(.ready)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await serve(running, signals, supervision, logger) }
            if let supervision {
                group.addTask {
                    for await word in supervision.words {
                        guard word == .accept else { continue }
                        do {
                            try await running.accept()
                        } catch {
                            return logger.error("\(error)")
                        }
                    }
                    guard !Task.isCancelled else { return }
                    logger.error("the supervisor is gone; draining")
                    await running.drain()
                }
            }
            // Whichever ends first ends everything.
            await group.next()
            group.cancelAll()
        }
    }

    private func serve(
        _ running: RunningGateway, _ signals: UnixSignalsSequence, _ supervision: Supervision?, _ logger: Logger
    ) async {
        // One reload after the other, but none that waits for keys keeps the end waiting.
        var reloads: Task<Void, Never>?
        for await signal in signals {
            switch signal {
            case .sighup:
                reloads = Task { [reloads, self] in
                    await reloads?.value
                    await reload(running, logger)
                }
            case .sigusr1: await running.reopenAccessLog()
            case .sigquit:
                logger.notice("handing over")
                await running.handOver()
                supervision?.say(.stoppedAccepting)
                return await running.drain()
            default:
                logger.notice("draining", metadata: ["signal": "\(signal)"])
                return await running.drain()
            }
        }
    }

    private func reload(_ running: RunningGateway, _ logger: Logger) async {
        await running.reopenAccessLog()
        switch file.load() {
        case .failure(let problems):
            for problem in problems { StandardStreams.message(problem.rendered(file: file.config)) }
            let errors = problems.count { $0.severity == .error }
            logger.error("reload refused, the running configuration stays", metadata: ["file": "\(file.config)", "errors": "\(errors)"])
            await running.reloadRefused()
        case .success(let new, let warnings):
            for warning in warnings { StandardStreams.message(warning.rendered(file: file.config)) }
            do {
                try await running.reload(to: new)
                logger.notice("reloaded", metadata: ["file": "\(file.config)"])
            } catch {
                logger.error("reload refused, the running configuration stays", metadata: ["file": "\(file.config)", "cause": "\(error)"])
                await running.reloadRefused()
            }
        }
    }
}

/// The worker's end of the pipes to its supervisor.
private final class Supervision: Sendable {
    enum Word { case accept }

    private let ready: FileHandle
    private let life: FileHandle
    /// The supervisor's messages; they end with it.
    let words: AsyncStream<Word>

    init(role: WorkerRole) {
        ready = FileHandle(fileDescriptor: role.ready, closeOnDealloc: true)
        life = FileHandle(fileDescriptor: role.life, closeOnDealloc: true)
        let (words, speaker) = AsyncStream.makeStream(of: Word.self)
        self.words = words
        life.readabilityHandler = { handle in
            guard handle.availableData.isEmpty else { return _ = speaker.yield(.accept) }
            handle.readabilityHandler = nil
            speaker.finish()
        }
    }

    func say(_ word: WorkerRole.Word) {
        try? ready.write(contentsOf: Data([word.rawValue]))
    }
}
