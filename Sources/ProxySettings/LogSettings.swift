/// How the operational log is written.
public struct LogSettings: Sendable, Hashable {
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// One object a line.
        case json
        /// For people.
        case text
    }

    /// The least that a line must matter to be written.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        case debug, notice, warning, error
    }

    /// nil: text where a terminal reads it, JSON elsewhere.
    public var format: Format?
    public var level: Level

    public init(format: Format? = nil, level: Level = .notice) {
        self.format = format
        self.level = level
    }
}
