import ConfigurationFile
import Testing

struct ProblemTests {
    private let position = Position(line: 3, column: 5)

    @Test func `a problem is rendered with location, key path and hint`() {
        let problem = Problem(
            .error, at: position, keyPath: "issuers.logto.algoritms", message: "unknown key",
            hint: "did you mean `algorithms`?",
        )
        #expect(
            problem.rendered(file: "a.yaml")
                == "a.yaml:3:5: error: issuers.logto.algoritms: unknown key; did you mean `algorithms`?")
    }

    @Test func `a problem without key path and hint is rendered without them`() {
        #expect(Problem(.warning, at: position, message: "m").rendered(file: "a") == "a:3:5: warning: m")
    }

    @Test func `a rendered problem is one line without terminal control characters`() {
        let problem = Problem(.error, at: position, message: "a\nb\r\u{1B}[31m\u{2028}\u{202E}\u{85}é")
        #expect(problem.rendered(file: "a") == "a:3:5: error: a\\u{a}b\\u{d}\\u{1b}[31m\\u{2028}\\u{202e}\\u{85}é")
    }

    @Test func `problems are in file order, errors before warnings`() {
        let late = Problem(.error, at: Position(line: 10, column: 1), message: "a")
        let right = Problem(.error, at: Position(line: 3, column: 6), message: "a")
        let warning = Problem(.warning, at: position, message: "a")
        let error = Problem(.error, at: position, message: "b")
        #expect([late, warning, right, error].sorted() == [error, warning, right, late])
    }
}
