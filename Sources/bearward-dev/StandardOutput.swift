import Foundation

/// Messages to the user of the command; data goes to standard output.
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
