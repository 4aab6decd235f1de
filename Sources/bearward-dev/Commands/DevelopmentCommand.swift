import ArgumentParser
import UnixSignals

/// A command that ends well or with a ``CommandFailure``.
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

    /// Returns on SIGINT and SIGTERM, which the first process of a container would not be ended by.
    func serveUntilInterrupted() async {
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return }
    }
}
