import StrictJSON

/// A line and a column of the file, both counted from 1; columns in Unicode scalars.
public struct Position: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    static let start = Position(line: 1, column: 1)

    public static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    public var description: String { "line \(line), column \(column)" }
}

/// Part of a line of the file, and how many of its characters stand before the place in question.
public struct Excerpt: Sendable, Hashable {
    public let text: String
    public let offset: Int

    /// On either side of the place, in Unicode scalars.
    private static let reach = 60

    init(line: String, column: Int) {
        let scalars = Array(line.unicodeScalars.map { $0 == "\t" ? " " : $0 })
        let place = max(0, min(column - 1, scalars.count))
        let start = max(0, place - Self.reach)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<min(scalars.count, place + Self.reach)])
        self.text = String(text)
        offset = place - start
    }
}

/// Something wrong with the file, where it is, and what to do about it.
public struct Problem: Sendable, Hashable, Comparable {
    public enum Severity: String, Sendable, Hashable {
        /// The file is refused.
        case error
        /// The file is taken, but probably does not say what was meant, or weakens something.
        case warning
        /// Nothing is wrong: what was found, for whoever asked.
        case note
    }

    public let severity: Severity
    public let position: Position
    /// The way to the key or value, `issuers.logto.algorithms[1]`; empty for the file as a whole.
    public let keyPath: String
    public let message: String
    /// What to write instead, if that is known.
    public let hint: String?
    /// The line that cannot be read as YAML; nil for every other problem.
    public let excerpt: Excerpt?
    /// Whether it comes or goes with time alone: the same file has it on one day and not on another.
    public let followsTheClock: Bool

    public init(
        _ severity: Severity, at position: Position, keyPath: String = "", message: String, hint: String? = nil,
        excerpt: Excerpt? = nil,
        followsTheClock: Bool = false
    ) {
        self.severity = severity
        self.position = position
        self.keyPath = keyPath
        self.message = message
        self.hint = hint
        self.excerpt = excerpt
        self.followsTheClock = followsTheClock
    }

    public var line: Int { position.line }
    public var column: Int { position.column }

    /// `FILE:LINE:COLUMN: error: KEY.PATH: MESSAGE; HINT`, always one line.
    public func rendered(file: String) -> String { "\(place(in: file)): \(severity.rawValue): \(text)" }

    /// `FILE:LINE:COLUMN`
    public func place(in file: String) -> String { "\(file):\(line):\(column)".visible }

    /// `KEY.PATH: MESSAGE; HINT`
    public var text: String {
        let subject = keyPath.isEmpty ? "" : keyPath + ": "
        let advice = hint.map { "; " + $0 } ?? ""
        // Names from the file may hold anything.
        return (subject + message + advice).visible
    }

    /// The excerpt and a mark under the place, in two lines; nil without one.
    public var pointed: String? {
        excerpt.map { excerpt in
            "  | " + excerpt.text.visible + "\n  | " + String(repeating: " ", count: excerpt.offset) + "^"
        }
    }

    /// By position; at one position errors go before warnings.
    public static func < (left: Problem, right: Problem) -> Bool {
        (left.position, left.severity.rawValue, left.keyPath, left.message)
            < (right.position, right.severity.rawValue, right.keyPath, right.message)
    }
}
