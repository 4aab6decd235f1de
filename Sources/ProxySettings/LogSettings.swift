/// Format and level of the operational log.
public struct LogSettings: Sendable, Hashable {
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// One JSON object per line.
        case json
        /// Text for people.
        case text
    }

    /// Lowest severity that is written.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        case debug, notice, warning, error
    }

    /// Format of the log. Nil for text on a terminal and JSON elsewhere.
    public var format: Format?
    public var level: Level

    public init(format: Format? = nil, level: Level = .notice) {
        self.format = format
        self.level = level
    }
}
