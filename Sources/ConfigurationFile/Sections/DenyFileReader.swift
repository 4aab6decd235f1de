import AccessControl
import FoundationEssentials
import TokenVerification

/// Reads `deny_file` and the list in it, so that an invalid list is an error of the configuration like any other.
enum DenyFileReader {
    /// Most lines of the list whose problems are reported one by one.
    private static let mostProblems = 20

    /// - Parameter isWhole: true if all issuers could be read. Otherwise the list is not read, because it may name the
    ///   others.
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
