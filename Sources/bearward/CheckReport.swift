import ConfigurationFile
import StrictJSON

/// Result of `check`, for programs.
struct CheckReport {
    let file: String
    /// Whether a warning fails as well.
    let isStrict: Bool
    /// Problems of the file itself.
    let problems: [Problem]
    /// Problems of everything that the file names and `--online` reached.
    var found: [Problem] = []
    /// Summary of a file without errors. Nil if there are errors.
    var summary: String?

    /// Whether something that the file names could not be reached.
    var isUnreachable: Bool { found.contains { $0.severity == .error } }

    /// Whether it keeps the file from being fine. Warnings that follow the clock never do: what was fine at the last
    /// change must not fail on another day.
    func fails(_ problem: Problem) -> Bool {
        switch problem.severity {
        case .error: true
        case .warning: isStrict && !problem.followsTheClock
        case .note: false
        }
    }

    var failingWarnings: Int { (problems + found).count { $0.severity == .warning && fails($0) } }

    /// Whether there is nothing that fails.
    var isFine: Bool { summary != nil && !isUnreachable && failingWarnings == 0 }

    /// One JSON object; absent values are null.
    var json: String {
        let all = problems + found
        return JSONObjectWriter.text { writer, bytes in
            writer.member("file", string: file, into: &bytes)
            writer.member("fine", boolean: isFine, into: &bytes)
            writer.member("errors", integer: all.count { $0.severity == .error }, into: &bytes)
            writer.member("warnings", integer: all.count { $0.severity == .warning }, into: &bytes)
            writer.objects("problems", all, into: &bytes) { problem, writer, bytes in
                writer.member("severity", string: problem.severity.rawValue, into: &bytes)
                writer.member("line", integer: problem.line, into: &bytes)
                writer.member("column", integer: problem.column, into: &bytes)
                writer.member("key", string: problem.keyPath, into: &bytes)
                writer.member("message", string: problem.message, into: &bytes)
                writer.member("hint", optional: problem.hint, into: &bytes)
            }
        } + "\n"
    }
}
