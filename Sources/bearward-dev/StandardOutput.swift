import Files
import Glibc
import SystemPackage

/// Messages to the user of the command; data goes to standard output.
enum StandardError {
    /// Reports why the command does not succeed.
    static func error(_ text: String) { write(beginningOfError + text) }

    /// Reports a substitute or an additional action.
    static func note(_ text: String) { write("bearward-dev: note: " + text) }

    static let beginningOfError = "bearward-dev: error: "

    /// A message that cannot be written is lost; that must not end anything.
    private static func write(_ line: String) {
        try? OpenFile.standardError.write((line + "\n").utf8)
    }
}

/// Data, written at once even into a pipe.
enum StandardOutput {
    /// Ends the process where standard output does not take it. Where its reader has gone, that is told by the exit
    /// status alone: the one of a program that SIGPIPE ended.
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
