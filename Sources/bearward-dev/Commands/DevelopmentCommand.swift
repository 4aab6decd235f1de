import ArgumentParser

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

    /// Never returns: an interrupt ends the process at once.
    func serveUntilInterrupted() async throws(CommandFailure) {
        let never = AsyncStream<Never> { _ in }
        for await _ in never {}
        throw .interrupted
    }
}
