import AccessControl
import FoundationEssentials
import TokenVerification

/// Reads `deny_file`, and the list itself, so that a broken one is an error of the file like any other.
enum DenyFileReader {
    /// Lines whose problem is told.
    private static let mostProblems = 20

    /// - Parameter isWhole: whether all issuers could be read; if not, the list is left for later.
    static func read(_ value: Value, issuers: DenyIssuers, isWhole: Bool) -> (DenyFile?, DenyFile.Reading?) {
        guard let path = value.someText(expected: "a path") else { return (nil, nil) }
        let file = DenyFile(path: value.reading.resolve(path))
        if let absence = FileOnDisk.absence(at: file.path, writtenAs: path) {
            value.report(absence, hint: "name a file of JSON Lines; it may be empty")
            return (file, nil)
        }
        guard isWhole else { return (file, nil) }
        do throws(DenyFileFailure) {
            let now = NumericDate(clock: Date().timeIntervalSince1970)
            return (file, try file.read(issuers: issuers, at: now))
        } catch {
            report(error, value, path)
            return (file, nil)
        }
    }

    private static func report(_ failure: DenyFileFailure, _ value: Value, _ path: String) {
        switch failure {
        case .unreadable(let cause): value.report(cause, hint: "name a file of JSON Lines; it may be empty")
        case .problems(let problems, let count):
            for problem in problems.prefix(mostProblems) {
                value.report("`\(path)`, line \(problem.line): \(problem.problem.message)", hint: problem.problem.hint)
            }
            if count > mostProblems { value.report("`\(path)` has \(count - mostProblems) more lines with errors") }
        }
    }
}
