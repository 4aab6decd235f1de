import ProxySettings

/// The keys of `log`.
enum LogKey: String, ConfigurationKey {
    case format, level

    static let section = SectionReference(
        "log", "The operational log, on standard error. The lines about requests are `access_log`'s.", of: LogKey.self)

    var reference: KeyReference {
        switch self {
        case .format:
            KeyReference(
                .words(of: LogSettings.Format.self), .meaning("it is `text` on a terminal, and `json` elsewhere"),
                "How lines are written: one JSON object each, or text for people.", example: "text")
        case .level:
            KeyReference(
                .words(of: LogSettings.Level.self), .value(LogSettings().level.rawValue),
                "The least severe lines that are written.",
                example: "warning")
        }
    }
}

/// Reads `log`.
enum LogReader {
    static func read(_ value: Value?) -> LogSettings {
        var settings = LogSettings()
        guard let value, let section = Section(value, of: LogKey.self) else { return settings }
        settings.format = section.word(.format, LogSettings.Format.self).value
        section.read(.level, level).assign(to: &settings.level)
        return settings
    }

    private static func level(_ value: Value) -> LogSettings.Level? {
        if case .scalar(let scalar) = value.node.content, let meant = meant(by: scalar.text.lowercased()),
            scalar.text != meant.rawValue
        {
            value.report("`\(scalar.text)` is not known here", hint: "write `\(meant.rawValue)`")
            return nil
        }
        return value.word(LogSettings.Level.self)
    }

    /// The level of other programs' names, in lower case.
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
