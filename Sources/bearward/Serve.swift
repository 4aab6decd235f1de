import ArgumentParser
import ConfigurationFile
import Foundation
import LogOutput
import Logging
import ReverseProxy
import Supervision

/// `bearward serve`: hold the listening sockets, and keep a worker at work behind them.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the gateway.",
        discussion: """
            SIGTERM or SIGINT drains and ends it. SIGHUP reads the file again; a file with errors is reported, and what runs stays. \
            SIGUSR1 reopens the access log. SIGUSR2 starts the program anew as it is on disk now, and lets the old one end; no \
            connection is refused meanwhile.
            """,
    )

    @OptionGroup var file: ConfigurationOptions

    func validate() throws {
        guard !file.isStandardInput else { throw ValidationError("serve reads its file again on SIGHUP, so it needs one: --config FILE") }
    }

    /// One thread, which waits for signals and for nothing else: it must not suspend. The only other one is there while a message is
    /// written, so that a message without a reader delays neither a signal nor the start of a worker.
    func run() throws {
        StandardStreams.secure()
        StandardStreams.queueMessages(thread: .whileNeeded)
        defer { StandardStreams.finish() }
        let logger = Logger(label: "bearward")
        let result = file.load()
        guard case .success(let configuration, _) = result else {
            for problem in result.problems { StandardStreams.message(problem.rendered(file: file.config)) }
            throw ExitCode.configurationErrors
        }
        var environment = ProcessInfo.processInfo.environment
        let sockets: [ListeningSocket]
        do {
            sockets = try ListeningSocket.adopted(from: environment, orBinding: configuration.listen.lazy.map(\.address.text))
        } catch {
            StandardStreams.message("bearward: \(error)")
            throw ExitCode.unavailable
        }
        try Self.check(sockets, against: configuration)
        let keySets = configuration.stateDirectory == nil ? TemporaryDirectory(named: "bearward") : nil
        defer { keySets?.remove() }
        environment[Worker.keySetsVariable] = keySets?.path
        var supervisor = Supervisor(
            program: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            arguments: [Worker.configuration.commandName ?? "worker", "--config", file.config],
            sockets: sockets.map(\.descriptor), environment: environment,
        ) { logger.notice("\($0)") }
        let status = supervisor.run()
        guard status == 0 else { throw ExitCode(status) }
    }

    /// Every listener has a socket. Sockets of a service manager replace binding, so a listener without one would never accept.
    private static func check(_ sockets: [ListeningSocket], against configuration: Configuration) throws {
        let ports = Set(sockets.map(\.port))
        let missing = configuration.listen.map(\.address).filter { $0.port != 0 && !ports.contains($0.port) }
        for address in missing {
            StandardStreams.message(
                "bearward: listen: sockets were handed over, but none for \(address.text); name its port in the socket unit, or remove the entry"
            )
        }
        if !missing.isEmpty { throw ExitCode.configurationErrors }
    }
}
