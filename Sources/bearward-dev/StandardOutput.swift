import Files
import Glibc
import SystemPackage

/// Writes messages to the user on standard error. Data goes to standard output.
enum StandardError {
    /// Prints the reason why the command fails.
    static func error(_ text: String) { write(beginningOfError + text) }

    /// Prints a note about a replaced value or an additional action.
    static func note(_ text: String) { write("bearward-dev: note: " + text) }

    static let beginningOfError = "bearward-dev: error: "

    /// Writes a line. If that fails, the message is lost, but the process continues.
    private static func write(_ line: String) {
        try? OpenFile.standardError.write((line + "\n").utf8)
    }
}

/// Writes data to standard output, unbuffered even into a pipe.
enum StandardOutput {
    /// Writes a line of data. Exits if writing fails.
    ///
    /// If the reader has gone, no message is printed; the exit status is that of a program killed by SIGPIPE.
    static func print(_ text: String) {
        do {
            try OpenFile.standardOutput.write((text + "\n").utf8)
        } catch .brokenPipe {
            exit(141)
        } catch {
            StandardError.error("standard output cannot be written: \(error.words)")
            exit(70)
        }
    }
}
