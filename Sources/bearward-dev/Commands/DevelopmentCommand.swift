import ArgumentParser
import UnixSignals

/// A command that succeeds or throws a ``CommandFailure``.
protocol DevelopmentCommand: AsyncParsableCommand {
    func perform() async throws(CommandFailure)
}

extension DevelopmentCommand {
    func run() async throws {
        do throws(CommandFailure) {
            try await perform()
        } catch {
            StandardError.error(error.description)
            throw error.exitCode
        }
    }

    /// Waits for SIGINT or SIGTERM. Without a handler these would not terminate the first process of a container.
    func serveUntilInterrupted() async {
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return }
    }
}
