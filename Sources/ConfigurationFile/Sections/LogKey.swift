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
                .words(of: LogSettings.Level.self), .value(LogSettings().level.rawValue), "The least severe lines that are written.",
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
        section.word(.level, LogSettings.Level.self).assign(to: &settings.level)
        return settings
    }
}
