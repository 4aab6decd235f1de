public import Files
import StrictJSON

/// Line and column in the file, both counted from 1; columns in Unicode scalars.
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

/// Part of a line of the file, with the offset of the problem in it.
public struct Excerpt: Sendable, Hashable {
    public let text: String
    public let offset: Int

    /// Most characters shown on either side of the problem, in Unicode scalars.
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

/// Problem of the file: its severity, its location, and what to do about it.
public struct Problem: Sendable, Hashable, Comparable {
    public enum Severity: String, Sendable, Hashable {
        /// The file is refused.
        case error
        /// The file is accepted, but it probably does not mean what was intended, or it weakens security.
        case warning
        /// Nothing is wrong: information for those who asked for it.
        case note
    }

    public let severity: Severity
    public let position: Position
    /// Key path of the key or value, such as `issuers.logto.algorithms[1]`. Empty for the file as a whole.
    public let keyPath: String
    public let message: String
    /// Advice on what to write instead. Nil if there is none.
    public let hint: String?
    /// Part of the line that is not valid YAML. Nil for every other problem.
    public let excerpt: Excerpt?
    /// Setting that weakens a check, which the problem is about. Nil for every other problem.
    public let weakens: WeakeningSetting?
    /// True if only the passing of time makes the problem come or go: the same file has it on some days only.
    public let followsTheClock: Bool

    public init(
        _ severity: Severity, at position: Position, keyPath: String = "", message: String, hint: String? = nil,
        excerpt: Excerpt? = nil, weakens: WeakeningSetting? = nil,
        followsTheClock: Bool = false
    ) {
        self.severity = severity
        self.position = position
        self.keyPath = keyPath
        self.message = message
        self.hint = hint
        self.excerpt = excerpt
        self.weakens = weakens
        self.followsTheClock = followsTheClock
    }

    public var line: Int { position.line }
    public var column: Int { position.column }

    /// `FILE:LINE:COLUMN: error: KEY.PATH: MESSAGE; HINT`, always one line.
    public func rendered(file: String, _ paint: TerminalPaint = .plain) -> String {
        severity.beginning(at: place(in: file), paint) + text
    }

    /// `FILE:LINE:COLUMN`
    public func place(in file: String) -> String { "\(file):\(line):\(column)".visible }

    /// `KEY.PATH: MESSAGE; HINT`
    public var text: String {
        let subject = keyPath.isEmpty ? "" : keyPath + ": "
        let advice = hint.map { "; " + $0 } ?? ""
        // Names from the file may hold any character.
        return (subject + message + advice).visible
    }

    /// Excerpt with a mark below the problem, in two lines. Nil without an excerpt.
    public var pointed: String? {
        excerpt.map { excerpt in
            "  | " + excerpt.text.visible + "\n  | " + String(repeating: " ", count: excerpt.offset) + "^"
        }
    }

    /// Orders by position; at one position errors go before warnings.
    public static func < (left: Problem, right: Problem) -> Bool {
        (left.position, left.severity.rawValue, left.keyPath, left.message)
            < (right.position, right.severity.rawValue, right.keyPath, right.message)
    }
}

extension Problem.Severity {
    /// Beginning of a line that reports a problem: `PLACE: error: `.
    public func beginning(at place: String, _ paint: TerminalPaint) -> String {
        let style: TerminalPaint.Style =
            switch self {
            case .error: .red
            case .warning: .yellow
            case .note: .cyan
            }
        return paint("\(place):", .bold) + " " + paint(rawValue, style) + ": "
    }
}
