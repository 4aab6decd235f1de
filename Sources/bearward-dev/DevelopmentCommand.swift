import ArgumentParser
import Foundation

/// A command that ends well or with a ``CommandFailure``.
protocol DevelopmentCommand: AsyncParsableCommand {
    func perform() async throws(CommandFailure)
}

extension DevelopmentCommand {
    func run() async throws {
        do throws(CommandFailure) {
            try await perform()
        } catch {
            StandardError.print(error.description)
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

/// Messages to whoever runs the command; data goes to standard output.
enum StandardError {
    static func print(_ text: String) {
        FileHandle.standardError.write(Data(("bearward-dev: " + text + "\n").utf8))
    }
}

/// Data, written at once even into a pipe.
enum StandardOutput {
    static func print(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
