public import Files
import Logging
import ProxySettings
import Synchronization

/// Log of events for the operator: its output, its format, and its lowest level.
///
/// The settings can change while loggers are in use.
public final class OperationalLog: Sendable {
    private let settings: Mutex<LogSettings>
    private let usualFormat: LogSettings.Format
    private let paint: TerminalPaint
    /// Wall clock, as the time since 1970.
    private let now: @Sendable () -> Duration
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameters:
    ///   - usualFormat: the format if the settings have none.
    ///   - paint: colours of lines in the text format.
    ///   - now: the wall clock, as the time since 1970.
    ///   - write: takes a whole line with its line feed, from any thread.
    public init(
        _ settings: LogSettings = LogSettings(), usualFormat: LogSettings.Format = .text,
        paint: TerminalPaint = .plain,
        now: @escaping @Sendable () -> Duration,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.settings = Mutex(settings)
        self.usualFormat = usualFormat
        self.paint = paint
        self.now = now
        self.write = write
    }

    public func use(_ settings: LogSettings) {
        self.settings.withLock { $0 = settings }
    }

    public var format: LogSettings.Format { settings.withLock { $0.format } ?? usualFormat }

    /// Logger that writes to this log.
    public var logger: Logger { Logger(label: "bearward") { _ in Handler(log: self) } }

    fileprivate var level: Logger.Level {
        switch settings.withLock({ $0.level }) {
        case .debug: .debug
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        }
    }

    fileprivate func write(_ level: Logger.Level, _ message: String, _ facts: Logger.Metadata) {
        let line = LogLine(time: now(), level: level, message: message, facts: facts)
        write(format == .json ? line.json : line.text(paint))
    }
}

/// Handler of one logger's lines.
private struct Handler: LogHandler {
    let log: OperationalLog
    var metadata: Logger.Metadata = [:]
    /// Lowest level set on this logger. Nil if the settings of the log apply.
    private var ownLevel: Logger.Level?

    init(log: OperationalLog) {
        self.log = log
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? log.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        log.write(event.level, event.message.description, metadata.merging(event.metadata ?? [:]) { _, new in new })
    }
}
