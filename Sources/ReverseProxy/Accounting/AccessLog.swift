import Logging
import Logs
import MetricFamilies
import Synchronization

/// The access log: one JSON object for each request, written to standard output or appended to a file.
///
/// Event loops hand over whole lines and never wait: one thread writes them. Lines it cannot write in time are dropped
/// and counted. Only ``close()`` waits for that thread, for at most ``closingLimit``.
public final class AccessLog: Sendable {
    public enum Destination: Sendable, Hashable {
        case none
        case standardOutput
        case file(path: String)
    }

    private let logger: Logger
    private let writer: LogWriter
    private let place: Mutex<Destination>
    /// True if there is a destination. Atomic, because every request reads it.
    private let hasOutput: Atomic<Bool>

    /// Largest size of the lines that wait for a slow disk or reader, in bytes. Further lines are dropped.
    static let longestQueue = 8 * 1024 * 1024
    /// Longest time that the process waits at exit for the remaining lines to be written.
    static let closingLimit: Duration = .seconds(1)

    /// - Throws: If the file cannot be opened for appending.
    public init(_ destination: Destination, logger: Logger) throws {
        self.logger = logger
        place = Mutex(destination)
        hasOutput = Atomic(destination != .none)
        writer = LogWriter(to: try Self.open(destination), longestQueue: Self.longestQueue, thread: .permanent) {
            notice in
            switch notice {
            case .linesAreDropped(let cause):
                logger.warning("Access log lines are being dropped", [.cause: .text(cause)])
            case .linesAreWrittenAgain(let dropped):
                logger.notice("Access log lines are written again", [.droppedLines: .number(Int(clamping: dropped))])
            }
        }
    }

    var isOn: Bool { hasOutput.load(ordering: .relaxed) }

    public var destination: Destination { place.withLock { $0 } }

    /// Switches to another destination. Waiting lines go there too.
    ///
    /// - Throws: If the file cannot be opened for appending; nothing has changed then.
    public func redirect(to destination: Destination) throws {
        guard destination != self.destination else { return }
        let file = try Self.open(destination)
        place.withLock { $0 = destination }
        writer.redirect(to: file)
        hasOutput.store(destination != .none, ordering: .relaxed)
    }

    /// Number of lines dropped because the queue was full or writing failed.
    var droppedLines: UInt64 { writer.droppedLines }

    /// - Parameter logLines: Number of dropped lines of the operational log.
    public func families(logLines: UInt64) -> [MetricFamily] {
        [
            .counter(
                "bearward_access_log_dropped_lines_total", "Lines of the access log that were dropped.",
                droppedLines),
            .counter("bearward_log_dropped_lines_total", "Lines of the operational log that were dropped.", logLines),
        ]
    }

    /// Opens the file again after log rotation moved it away. Waiting lines go into the new file.
    public func reopen() {
        let destination = destination
        guard case .file = destination else { return }
        do {
            writer.redirect(to: try Self.open(destination))
        } catch {
            logger.error("The access log cannot be opened again", [.cause: "\(error)"])
        }
    }

    /// Writes the waiting lines, for at most ``closingLimit``, and ends the writer thread.
    public func close() async {
        writer.finish()
        let end = ContinuousClock.now + Self.closingLimit
        while !writer.isIdle, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Queues whole lines for the writer thread; never waits.
    func write(_ lines: [UInt8]) {
        writer.write(lines)
    }

    private static func open(_ destination: Destination) throws(LogFileFailure) -> LogFile? {
        switch destination {
        case .none: nil
        case .standardOutput: .standardOutput
        case .file(let path): try LogFile(appendingTo: path)
        }
    }
}
