import ArgumentParser
import Foundation
import Synchronization

/// Messages go to standard error, one line each; data goes to standard output.
enum StandardStreams {
    /// A message that cannot be written is lost; that must not end anything.
    static func message(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// - Throws: if standard output does not take it.
    static func data(_ text: String) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            message("bearward: standard output cannot be written: \(error.localizedDescription)")
            throw ExitCode.internalError
        }
    }

    /// Kept for as long as the process lives: a handle closes its descriptor when it goes.
    private static let placeholders = Mutex<[FileHandle]>([])

    /// Puts `/dev/null` in the place of standard streams that were closed, so that no socket takes their number and gets our messages.
    static func secure() {
        while let null = FileHandle(forUpdatingAtPath: "/dev/null") {
            guard null.fileDescriptor > STDERR_FILENO else {
                placeholders.withLock { $0.append(null) }
                continue
            }
            return
        }
    }

    /// Whether a person may be looking at standard output, and has not asked for plain text (https://no-color.org).
    static var takesColour: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    }
}
