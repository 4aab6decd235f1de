import ConfigurationFile
import StrictJSON

/// Result of `bearward check`, from which its exit code and its JSON are made.
struct CheckReport {
    let file: String
    /// Whether warnings make the check fail too (`--strict`).
    let isStrict: Bool
    /// Problems of the file itself, without network access.
    let problems: [Problem]
    /// Outcomes of `--online`: problems and successes of the issuers and upstreams that the file names.
    var found: [Problem] = []
    /// Summary of a file without errors. Nil if there are errors.
    var summary: String?

    /// Whether an issuer or upstream in the file could not be reached.
    var isUnreachable: Bool { found.contains { $0.severity == .error } }

    /// Whether a problem makes the check fail.
    ///
    /// Warnings that depend on the date never do: a file that passed at its last change must not fail on another day.
    func fails(_ problem: Problem) -> Bool {
        switch problem.severity {
        case .error: true
        case .warning: isStrict && !problem.followsTheClock
        case .note: false
        }
    }

    var failingWarnings: Int { (problems + found).count { $0.severity == .warning && fails($0) } }

    /// Whether the check succeeds.
    var isFine: Bool { summary != nil && !isUnreachable && failingWarnings == 0 }

    /// Report as one line of JSON. Absent values are null.
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
