import ProxySettings

extension LogSettings: Defaulted {
    static var defaults: Self { Self() }
}

/// Configuration keys of `log`.
final class LogKeys: SectionKeys {
    static let section = SectionReference(
        "log", "The operational log, on standard error. `access_log` has the lines about requests.",
        of: LogKeys.self)

    let format = Setting(
        "format", \LogSettings.format, .word, without: .meaning("it is `text` on a terminal, and `json` elsewhere"),
        "How lines are written: one JSON object each, or text for people.", example: "text")
    let level = Setting(
        "level", \LogSettings.level,
        KeyForm(.words(of: LogSettings.Level.self), LogReader.level) { .value($0.rawValue) },
        "The least severe lines that are written.", example: "warning")
}

/// Reads the level of `log`.
enum LogReader {
    static func level(_ value: Value) -> LogSettings.Level? {
        if case .scalar(let scalar) = value.node.content, let meant = meant(by: scalar.text.lowercased()),
            scalar.text != meant.rawValue
        {
            return value.refuse("`\(scalar.text)` is not known here", hint: "write `\(meant.rawValue)`")
        }
        return value.word(LogSettings.Level.self)
    }

    /// Level for a name in lower case: its own name, or a name that other programs use. Nil for any other name.
    private static func meant(by word: String) -> LogSettings.Level? {
        switch word {
        case "trace", "verbose", "all": .debug
        case "info", "information", "default": .notice
        case "warn": .warning
        case "err", "crit", "critical", "alert", "emerg", "fatal", "panic": .error
        default: LogSettings.Level(rawValue: word)
        }
    }
}
