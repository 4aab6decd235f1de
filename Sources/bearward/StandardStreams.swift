import ArgumentParser
import ConfigurationFile
import Files
import FoundationEssentials
import Glibc
import Logging
import Logs
import ProxySettings
import Synchronization
import SystemPackage
import TokenVerification

/// Standard streams of the process. Messages go to standard error, one line each; data goes to standard output.
enum StandardStreams {
    /// Queue for messages of a serving process. Nil in other commands, which write messages at once.
    private static let queue = Mutex<LogWriter?>(nil)

    /// Maximum size of queued messages, in bytes.
    private static let longestQueue = 256 * 1024
    /// Longest time that an exiting process waits until the messages are read.
    private static let closingLimit: Duration = .seconds(1)

    /// Writes a message. If that fails, the message is lost, but the process continues.
    static func message(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        if let queue = queue.withLock({ $0 }) { return queue.write(bytes) }
        try? OpenFile.standardError.write(bytes)
    }

    /// Prints a problem without a position in a file, in the form of problems in a file.
    ///
    /// - Parameter place: name of the file, or of the program.
    static func tell(_ severity: Problem.Severity, _ text: String, of place: String = "bearward") {
        message(beginning(of: severity, at: place) + text)
    }

    /// Prints a problem of a file. If part of the file is not valid YAML, prints that part with a mark below the error.
    static func tell(_ problem: Problem, of file: String) {
        tell(problem.severity, problem.text, of: problem.place(in: file))
        if let pointed = problem.pointed { message(pointed) }
    }

    /// Beginning of a line that reports a problem: `PLACE: error: `.
    static func beginning(of severity: Problem.Severity, at place: String = "bearward") -> String {
        severity.beginning(at: place, errorPaint)
    }

    /// Writes data to standard output.
    ///
    /// - Throws: an exit code if writing fails. If the reader has gone, no message is printed: `| head` is not a
    ///   mistake.
    static func data(_ text: String) throws {
        do {
            try OpenFile.standardOutput.write(text.utf8)
        } catch .brokenPipe {
            throw ExitCode.outputUnread
        } catch {
            tell(.error, "standard output cannot be written: \(error.words)")
            throw ExitCode.internalError
        }
    }

    /// Open `/dev/null` files in place of closed standard streams. Kept for the life of the process, since a handle
    /// closes its descriptor when it is released.
    private static let placeholders = Mutex<[OpenFile]>([])

    /// Makes the standard streams safe to use, whatever state they were inherited in.
    ///
    /// Closed standard streams are replaced by `/dev/null`, so that no socket gets their number and receives our
    /// messages. A gone reader, or a file at its size limit, fails one write but does not terminate the process
    /// (SIGPIPE, SIGXFSZ).
    static func secure() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        while let null = try? OpenFile("/dev/null", .readWrite) {
            guard null.descriptor.rawValue > STDERR_FILENO else {
                placeholders.withLock { $0.append(null) }
                continue
            }
            return
        }
    }

    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Colours for standard output: used if it is a terminal and the user has not asked for plain text
    /// (https://no-color.org).
    static var paint: TerminalPaint { TerminalPaint(isOn: takesColour(STDOUT_FILENO)) }

    /// Colours for standard error, by the same rule.
    static var errorPaint: TerminalPaint { TerminalPaint(isOn: takesColour(STDERR_FILENO)) }

    private static func takesColour(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    }

    /// Reads standard input to its end, but at most one byte more than `longest`, which shows that the input is too
    /// long.
    static func input(longest: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= longest,
            let part = try? OpenFile.standardInput.read(upTo: min(longest + 1 - bytes.count, 64 * 1024)),
            !part.isEmpty
        {
            bytes += part
        }
        return bytes
    }
}

// MARK: - The operational log

extension StandardStreams {
    /// Makes the operational log of a serving process. From now on, nothing waits for a reader of standard error:
    /// messages and log lines go to a queue with one writer.
    ///
    /// Call ``finish()`` before the process exits.
    static func queuedLog(thread: LogWriter.ThreadLife) -> OperationalLog {
        let log = OperationalLog(
            usualFormat: isatty(STDERR_FILENO) == 1 ? .text : .json, paint: errorPaint,
            now: { .seconds(NumericDate(clock: Date().timeIntervalSince1970).seconds) },
            write: { line in queue.withLock { $0 }?.write(line) })
        let writer = LogWriter(to: .standardError, longestQueue: longestQueue, thread: thread) {
            [logger = log.logger] notice in
            // Lost lines can only be reported once lines are written again.
            guard case .linesAreWrittenAgain(let dropped) = notice else { return }
            logger.warning("Lines of this log were dropped", [.droppedLines: .number(Int(clamping: dropped))])
        }
        queue.withLock { $0 = writer }
        return log
    }

    /// Log of a command that a person runs. It writes warnings and errors only, at once.
    static var commandLog: OperationalLog {
        OperationalLog(
            LogSettings(format: .text, level: .warning), paint: errorPaint,
            now: { .seconds(NumericDate(clock: Date().timeIntervalSince1970).seconds) },
            write: { line in try? OpenFile.standardError.write(line) })
    }

    /// Number of messages and log lines that were never written.
    static var droppedLines: UInt64 { queue.withLock { $0 }?.droppedLines ?? 0 }

    /// Waits until all messages are written, up to a time limit.
    static func finish() {
        guard let writer = queue.withLock({ $0 }) else { return }
        writer.finish()
        let end = ContinuousClock.now + closingLimit
        while !writer.isIdle, ContinuousClock.now < end { usleep(5000) }
    }
}

extension Problem.Severity {
    /// Log level from which problems of this severity are printed. Errors always are.
    fileprivate var logLevel: Logger.Level {
        switch self {
        case .error: .critical
        case .warning: .warning
        case .note: .notice
        }
    }
}

extension OperationalLog {
    /// Reports a problem of a file: in a text log in the form of `bearward check`, in a JSON log as a line with
    /// members.
    func tell(_ problem: Problem, file: String) {
        guard format == .json else { return tellPerson(problem, file: file) }
        var facts: [LogMember: LogValue] = [
            .file: .text(file), .line: .number(problem.line), .column: .number(problem.column),
            .key: .text(problem.keyPath),
            .problem: .text(problem.message),
        ]
        facts[.hint] = problem.hint.map { .text($0) }
        switch problem.severity {
        case .error: logger.error("The configuration file has an error", facts)
        case .warning: logger.warning("The configuration file has a warning", facts)
        case .note: logger.notice("Note about the configuration file", facts)
        }
    }

    private func tellPerson(_ problem: Problem, file: String) {
        guard logger.logLevel <= problem.severity.logLevel else { return }
        StandardStreams.tell(problem, of: file)
    }
}
