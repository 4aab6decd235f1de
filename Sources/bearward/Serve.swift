import ArgumentParser
import ConfigurationFile
import Foundation
import GatewayAssembly
import Logging
import UnixSignals

/// `bearward serve`: run the gateway.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the gateway.",
        discussion: """
            SIGTERM or SIGINT drains and ends it. SIGHUP reads the file again; a file with errors is reported, and what runs stays. \
            SIGUSR1 reopens the access log.
            """,
    )

    @OptionGroup var file: ConfigurationOptions

    func run() async throws {
        StandardStreams.secure()
        LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
        let logger = Logger(label: "bearward")
        let configuration = try file.loadOrExit()
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup, .sigusr1)
        let running: RunningGateway
        do {
            running = try await RunningGateway.start(configuration, environment: ProcessInfo.processInfo.environment, logger: logger)
        } catch {
            StandardStreams.message("bearward: \(error)")
            if case .accessLog = error { throw ExitCode.configurationErrors }
            throw ExitCode.unavailable
        }
        logger.notice("listening", metadata: ["addresses": "\(running.addresses.joined(separator: " "))"])
        if let admin = await running.adminAddress { logger.notice("administration", metadata: ["address": "\(admin)"]) }
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
            default:
                logger.notice("draining", metadata: ["signal": "\(signal)"])
                await running.drain()
                return
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
        case .success(let new, let warnings):
            for warning in warnings { StandardStreams.message(warning.rendered(file: file.config)) }
            do {
                try await running.reload(to: new)
                logger.notice("reloaded", metadata: ["file": "\(file.config)"])
            } catch {
                logger.error("reload refused, the running configuration stays", metadata: ["file": "\(file.config)", "cause": "\(error)"])
            }
        }
    }
}
