import ArgumentParser
import ConfigurationFile
import Files
import Glibc
import SystemPackage

/// Question that a person at a terminal answers with yes or no.
enum Confirmation {
    /// Maximum size of an answer in bytes.
    private static let longestAnswer = 256

    /// Asks a question, and returns if the answer is yes.
    ///
    /// - Parameter inputIsTaken: true if standard input had something else. The terminal itself is asked then.
    /// - Throws: an exit code if the answer is anything else, or if there is no terminal.
    static func require(_ question: String, inputIsTaken: Bool) throws {
        guard let terminal = terminal(inputIsTaken: inputIsTaken) else {
            StandardStreams.tell(
                .error, "there is no terminal to ask: \(question) If that is meant, add --yes. Nothing was denied")
            throw ExitCode.validationFailure
        }
        StandardStreams.message("\(question) [y/N]")
        let bytes = (try? terminal.read(upTo: longestAnswer)) ?? []
        let answer = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }.lowercased()
        guard answer == "y" || answer == "yes" else {
            StandardStreams.tell(.note, "nothing was denied")
            throw ExitCode.failure
        }
    }

    /// Terminal of the person who sees the question. Nil if nobody would see it, or could answer.
    private static func terminal(inputIsTaken: Bool) -> OpenFile? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        if isatty(STDIN_FILENO) == 1 { return .standardInput }
        return inputIsTaken ? try? OpenFile("/dev/tty", .readOnly) : nil
    }
}
