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

/// Messages go to standard error, one line each; data goes to standard output.
enum StandardStreams {
    /// The message queue of a serving process; nil in a command that a person or a script waits for.
    private static let queue = Mutex<LogWriter?>(nil)

    /// Bytes of messages that may wait for a reader.
    private static let longestQueue = 256 * 1024
    /// Longest wait of the exiting process for messages without a reader.
    private static let closingLimit: Duration = .seconds(1)

    /// A message that cannot be written is lost; that must not end anything.
    static func message(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        if let queue = queue.withLock({ $0 }) { return queue.write(bytes) }
        try? OpenFile.standardError.write(bytes)
    }

    /// Tells what is wrong where there is no line to point at, in the form in which problems of a file are told.
    ///
    /// - Parameter place: the file, or the program itself.
    static func tell(_ severity: Problem.Severity, _ text: String, of place: String = "bearward") {
        message(beginning(of: severity, at: place) + text)
    }

    /// Tells a problem of a file, with a mark under its place where the text itself cannot be read.
    static func tell(_ problem: Problem, of file: String) {
        tell(problem.severity, problem.text, of: problem.place(in: file))
        if let pointed = problem.pointed { message(pointed) }
    }

    /// Beginning of a line that reports a problem: `PLACE: error: `.
    static func beginning(of severity: Problem.Severity, at place: String = "bearward") -> String {
        severity.beginning(at: place, errorPaint)
    }

    /// - Throws: if standard output does not take it. Where its reader has gone, that is told by the exit status alone:
    ///   `| head` is no mistake.
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

    /// Kept for as long as the process lives: a handle closes its descriptor when it goes.
    private static let placeholders = Mutex<[OpenFile]>([])

    /// Makes the streams safe to use, whatever was done to them before and will be done.
    ///
    /// `/dev/null` takes the place of standard streams that were closed, so that no socket takes their number and gets
    /// our messages. A reader that has gone is an error of one write, and so is a file that has reached its limit of
    /// size: neither ends the process.
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

    /// Colours of standard output, if a person may be looking at it and has not asked for plain text
    /// (https://no-color.org).
    static var paint: TerminalPaint { TerminalPaint(isOn: takesColour(STDOUT_FILENO)) }

    /// Colours of standard error.
    static var errorPaint: TerminalPaint { TerminalPaint(isOn: takesColour(STDERR_FILENO)) }

    private static func takesColour(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
    }

    /// Everything on standard input; of more than `longest` bytes, one more than that, so that it is known for too
    /// much.
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
    /// The operational log of a process that serves. From now on nothing waits for a reader of standard error: messages
    /// and the lines of the log go to a queue with one writer.
    ///
    /// Call ``finish()`` before the process ends.
    static func queuedLog(thread: LogWriter.ThreadLife) -> OperationalLog {
        let log = OperationalLog(
            usualFormat: isatty(STDERR_FILENO) == 1 ? .text : .json, paint: errorPaint,
            now: { .seconds(NumericDate(clock: Date().timeIntervalSince1970).seconds) },
            write: { line in queue.withLock { $0 }?.write(line) })
        let writer = LogWriter(to: .standardError, longestQueue: longestQueue, thread: thread) {
            [logger = log.logger] notice in
            // That lines are lost cannot be said while they are.
            guard case .linesAreWrittenAgain(let dropped) = notice else { return }
            logger.warning("Lines of this log were dropped", [.droppedLines: .number(Int(clamping: dropped))])
        }
        queue.withLock { $0 = writer }
        return log
    }

    /// Log of a command for a person, besides its result: only what should be acted on, written at once.
    static var commandLog: OperationalLog {
        OperationalLog(
            LogSettings(format: .text, level: .warning), paint: errorPaint,
            now: { .seconds(NumericDate(clock: Date().timeIntervalSince1970).seconds) },
            write: { line in try? OpenFile.standardError.write(line) })
    }

    /// Messages and lines of the operational log that were never written.
    static var droppedLines: UInt64 { queue.withLock { $0 }?.droppedLines ?? 0 }

    /// Waits until the messages are written, or long enough.
    static func finish() {
        guard let writer = queue.withLock({ $0 }) else { return }
        writer.finish()
        let end = ContinuousClock.now + closingLimit
        while !writer.isIdle, ContinuousClock.now < end { usleep(5000) }
    }
}

extension Problem.Severity {
    /// From which level of the log on it is told. Errors always are, whatever the level.
    fileprivate var logLevel: Logger.Level {
        switch self {
        case .error: .critical
        case .warning: .warning
        case .note: .notice
        }
    }
}

extension OperationalLog {
    /// Tells what is wrong with a file: as ``check`` does where people read, else as a line with members.
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
        case .note: logger.notice("The configuration file was looked at", facts)
        }
    }

    private func tellPerson(_ problem: Problem, file: String) {
        guard logger.logLevel <= problem.severity.logLevel else { return }
        StandardStreams.tell(problem, of: file)
    }
}
