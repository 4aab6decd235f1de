import Logging
import Logs
import MetricFamilies
import Synchronization

/// Where access log lines go: one JSON object a request, to standard output or a file that is only appended to.
///
/// Event loops hand over whole lines and never wait: one thread writes them. What it cannot write in time is dropped
/// and counted. Nothing here waits for that thread but ``close()``, and that not for long.
public final class AccessLog: Sendable {
    public enum Destination: Sendable, Hashable {
        case none
        case standardOutput
        case file(path: String)
    }

    private let logger: Logger
    private let writer: LogWriter
    private let place: Mutex<Destination>
    /// Read for every request, so without the lock.
    private let hasOutput: Atomic<Bool>

    /// Bytes that may wait for the disk, or for a reader.
    static let longestQueue = 8 * 1024 * 1024
    /// How long the end of the process waits for lines without a reader.
    static let closingLimit: Duration = .seconds(1)

    /// - Throws: if the file cannot be opened for appending.
    public init(_ destination: Destination, logger: Logger) throws {
        self.logger = logger
        place = Mutex(destination)
        hasOutput = Atomic(destination != .none)
        writer = LogWriter(to: try Self.open(destination), longestQueue: Self.longestQueue, thread: .permanent) {
            notice in
            switch notice {
            case .linesAreDropped(let cause):
                logger.warning("Lines of the access log are dropped and counted", [.cause: .text(cause)])
            case .linesAreWrittenAgain(let dropped):
                logger.notice("The access log is written again", [.droppedLines: .number(Int(clamping: dropped))])
            }
        }
    }

    var isOn: Bool { hasOutput.load(ordering: .relaxed) }

    public var destination: Destination { place.withLock { $0 } }

    /// Switches to another destination. Lines that wait go there too.
    ///
    /// - Throws: if the file cannot be opened for appending; then nothing has changed.
    public func redirect(to destination: Destination) throws {
        guard destination != self.destination else { return }
        let file = try Self.open(destination)
        place.withLock { $0 = destination }
        writer.redirect(to: file)
        hasOutput.store(destination != .none, ordering: .relaxed)
    }

    /// Lines that were never written, because the queue was full or writing failed.
    var droppedLines: UInt64 { writer.droppedLines }

    /// - Parameter logLines: lines of the operational log that were dropped.
    public func families(logLines: UInt64) -> [MetricFamily] {
        [
            .counter(
                "bearward_access_log_dropped_lines_total", "Lines of the access log that were dropped.",
                droppedLines),
            .counter("bearward_log_dropped_lines_total", "Lines of the operational log that were dropped.", logLines),
        ]
    }

    /// Opens the file again, after something has moved it away; lines that wait go into the new one.
    public func reopen() {
        let destination = destination
        guard case .file = destination else { return }
        do {
            writer.redirect(to: try Self.open(destination))
        } catch {
            logger.error("The access log cannot be opened again", [.cause: "\(error)"])
        }
    }

    /// Writes what waits, as far as it is taken in time, and ends the thread.
    public func close() async {
        writer.finish()
        let end = ContinuousClock.now + Self.closingLimit
        while !writer.isIdle, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Takes whole lines; never waits.
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
