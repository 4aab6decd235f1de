import Logging

/// Value of a member in an operational log line.
public enum LogValue: Sendable, Hashable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([String])

    var metadata: Logger.MetadataValue {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .stringConvertible(number)
        case .flag(let flag): .stringConvertible(flag)
        case .list(let texts): .array(texts.map { .string($0) })
        }
    }
}

extension LogValue: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        self = .text(text)
    }
}

extension Logger {
    /// Writes a line. The message is constant, so that it can be searched for. All that varies is in the facts.
    public func log(_ level: Level, _ message: Message, _ facts: [LogMember: LogValue]) {
        log(
            level: level, message,
            metadata: Dictionary(uniqueKeysWithValues: facts.map { ($0.key.rawValue, $0.value.metadata) }))
    }

    public func debug(_ message: Message, _ facts: [LogMember: LogValue]) { log(.debug, message, facts) }

    public func notice(_ message: Message, _ facts: [LogMember: LogValue]) { log(.notice, message, facts) }

    public func warning(_ message: Message, _ facts: [LogMember: LogValue]) { log(.warning, message, facts) }

    public func error(_ message: Message, _ facts: [LogMember: LogValue]) { log(.error, message, facts) }

    /// Returns a logger for the same log that adds these facts to every line.
    public func stating(_ facts: [LogMember: LogValue]) -> Logger {
        var logger = self
        for (member, value) in facts { logger[metadataKey: member.rawValue] = value.metadata }
        return logger
    }
}
