import Files
import Logging
import NetworkNames
import StrictJSON

/// Line of the operational log, with its forms as JSON and as text.
struct LogLine {
    /// Time since 1970.
    let time: Duration
    let level: Logger.Level
    let message: String
    /// Members and their values, each member once, in the order of `LogMember`. Members of libraries come last.
    let facts: [(name: String, value: Logger.MetadataValue)]

    private static let order = Dictionary(
        uniqueKeysWithValues: LogMember.allCases.enumerated().map { ($1.rawValue, $0) })

    init(time: Duration, level: Logger.Level, message: String, facts: Logger.Metadata) {
        self.time = time
        self.level = level
        self.message = message
        let position = { (name: String) in (Self.order[name] ?? Self.order.count, name) }
        self.facts = facts.sorted { position($0.key) < position($1.key) }.map { ($0.key, $0.value) }
    }

    /// Time in RFC 3339 form, in UTC, with milliseconds.
    private var timestamp: [UInt8] {
        let (seconds, attoseconds) = max(time, .zero).components
        var bytes = CivilTime(secondsSince1970: seconds).timestamp
        bytes.append(UInt8(ascii: "."))
        CivilTime.append(Int(attoseconds / 1_000_000_000_000_000), digits: 3, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
        return bytes
    }

    // MARK: JSON

    /// Line as one JSON object and a line feed.
    var json: [UInt8] {
        var bytes = JSONObjectWriter.object { writer, bytes in
            writer.member("time", string: String(decoding: timestamp, as: UTF8.self), into: &bytes)
            writer.member("level", string: level.rawValue, into: &bytes)
            writer.member("message", string: message, into: &bytes)
            for (name, value) in facts { Self.write(name, value, with: &writer, into: &bytes) }
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private static func write(
        _ name: String, _ value: Logger.MetadataValue, with writer: inout JSONObjectWriter, into bytes: inout [UInt8]
    ) {
        switch value {
        case .string(let text): writer.member(name, string: text, into: &bytes)
        case .array(let values): writer.member(name, strings: values.map { $0.description }, into: &bytes)
        case .stringConvertible(let number as Int): writer.member(name, integer: number, into: &bytes)
        case .stringConvertible(let flag as Bool): writer.member(name, boolean: flag, into: &bytes)
        case .stringConvertible, .dictionary: writer.member(name, string: value.description, into: &bytes)
        }
    }

    // MARK: Text

    /// Line as text, ended by a line feed: `2026-11-24T08:00:00.000Z warning Key set could not be fetched: connection
    /// refused issuer=logto keys=0`.
    func text(_ paint: TerminalPaint = .plain) -> [UInt8] {
        let beginning =
            "\(paint(String(decoding: timestamp, as: UTF8.self), .dim)) \(paint(level.rawValue, level.style)) "
        var line = message
        if let cause = facts.first(where: { $0.name == LogMember.cause.rawValue }) {
            line += ": \(Self.plain(cause.value))"
        }
        for (name, value) in facts where name != LogMember.cause.rawValue { line += " \(name)=\(Self.plain(value))" }
        // Names and causes may contain text that outsiders chose.
        return Array((beginning + line.visible).utf8) + [UInt8(ascii: "\n")]
    }

    private static func plain(_ value: Logger.MetadataValue) -> String {
        guard case .array(let values) = value else { return value.description }
        return values.map { $0.description }.joined(separator: " ")
    }
}

extension Logger.Level {
    fileprivate var style: TerminalPaint.Style {
        switch self {
        case .critical, .error: .red
        case .warning: .yellow
        case .notice, .info, .debug, .trace: .cyan
        }
    }
}
