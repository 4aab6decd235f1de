import Logging
import Synchronization

/// A logger that records its messages.
final class RecordingLog: Sendable {
    struct Line: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: Logger.Metadata
    }

    private let recorded = Mutex<[Line]>([])

    var lines: [Line] { recorded.withLock { $0 } }

    func count(of message: String, at level: Logger.Level = .warning) -> Int {
        lines.count { $0.level == level && $0.message == message }
    }

    /// The `error` of the first line with this message.
    func error(of message: String) -> String? {
        lines.first { $0.message == message }?.metadata["cause"].map { "\($0)" }
    }

    var logger: Logger { Logger(label: "tests") { [self] _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: RecordingLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, given in given }
            log.recorded.withLock { $0.append(Line(level: event.level, message: "\(event.message)", metadata: all)) }
        }
    }
}
