import Foundation

/// Messages go to standard error, one line each; data goes to standard output.
enum StandardStreams {
    static func message(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    static func data(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// Whether a person may be looking at standard output, and has not asked for plain text (https://no-color.org).
    static var takesColour: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    }
}
