import ConfigurationFile
public import Files
import StrictJSON

/// Report of `bearward test`: the test results, their coverage, and the mutants that they notice.
public struct PolicyReport: Sendable {
    /// Names of the configuration and of the file of tests in messages.
    public let configurationName: String
    public let testsName: String
    public let results: [TestResult]
    public let coverage: Coverage
    /// Whether gaps in the coverage make the report a failure.
    public let requiresCoverage: Bool
    /// Result of the mutants. Nil if none was made.
    public let mutations: MutationResult?

    public init(
        configuration: String, tests: String, results: [TestResult], coverage: Coverage, requiresCoverage: Bool,
        mutations: MutationResult?
    ) {
        configurationName = configuration
        testsName = tests
        self.results = results
        self.coverage = coverage
        self.requiresCoverage = requiresCoverage
        self.mutations = mutations
    }

    public var failed: [TestResult] { results.filter { !$0.isFine } }

    public var isFine: Bool {
        failed.isEmpty && (!requiresCoverage || coverage.missing.isEmpty) && (mutations?.survivors.isEmpty ?? true)
    }
}

// MARK: Text

extension PolicyReport {
    /// Report as text, for people. Every line ends with a newline.
    public func text(_ paint: TerminalPaint = .plain) -> String {
        var lines = failed.flatMap { self.lines(of: $0, paint) }
        let outcome = failed.isEmpty ? paint("all fine", .green) : paint("\(failed.count) failed", .red)
        lines.append("\(Self.counted(results.count, "test")), \(outcome)")
        lines.append("coverage: \(coverage.covered) of \(coverage.total)")
        if requiresCoverage { lines += coverage.missing.map { told($0.text, at: $0.place, paint) } }
        if let mutations {
            lines.append("mutants: \(mutations.noticed) of \(mutations.count) noticed")
            lines += mutations.survivors.map { told("no test notices: \($0.text)", at: $0.place, paint) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(of result: TestResult, _ paint: TerminalPaint) -> [String] {
        let title = Problem(.error, at: result.place.position, message: "failed: \(result.name)").rendered(
            file: testsName, paint)
        return [title] + details(of: result).map { "    " + $0 }
    }

    /// Lines of a failed test: the request, expected and seen values, the matched rule, the deciding step and a hint.
    private func details(of result: TestResult) -> [String] {
        let mismatches = result.mismatches.map { "\($0.key): expected \($0.expected), seen \($0.seen)" }
        let rule = result.rule.map { ["matched \(configurationName):\($0.place.position.line): \($0.name)"] } ?? []
        let decision = result.decision.map { ["decided by \($0)"] } ?? []
        let hint = result.hint.map { ["hint: \($0)"] } ?? []
        return ([result.request] + mismatches + rule + decision + hint).map(\.visible)
    }

    private func told(_ text: String, at place: FilePlace, _ paint: TerminalPaint = .plain) -> String {
        Problem(requiresCoverage || mutations != nil ? .error : .note, at: place.position, message: text).rendered(
            file: configurationName, paint)
    }

    private static func counted(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}

// MARK: JUnit

extension PolicyReport {
    /// Report as JUnit XML, which build servers read. Gaps in the coverage are one failed test case, surviving mutants
    /// another.
    public var junit: String {
        var cases = results.map { result in
            Self.testCase(
                "\(testsName):\(result.place.position.line)", result.name,
                result.isFine ? nil : details(of: result).joined(separator: "\n")
            )
        }
        if requiresCoverage {
            let missing = coverage.missing.map { told($0.text, at: $0.place) }
            cases.append(
                Self.testCase(configurationName, "coverage", missing.isEmpty ? nil : missing.joined(separator: "\n")))
        }
        if let mutations {
            let survivors = mutations.survivors.map { told($0.text, at: $0.place) }
            cases.append(
                Self.testCase(configurationName, "mutants", survivors.isEmpty ? nil : survivors.joined(separator: "\n"))
            )
        }
        let failures = cases.count { $0.contains("<failure") }
        let name = Self.escaped(testsName)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites><testsuite name="\(name)" tests="\(cases.count)" failures="\(failures)">
            \(cases.joined(separator: "\n"))
            </testsuite></testsuites>

            """
    }

    private static func testCase(_ place: String, _ name: String, _ failure: String?) -> String {
        let opening = "<testcase classname=\"\(escaped(place))\" name=\"\(escaped(name.visible))\""
        guard let failure else { return opening + "/>" }
        let first = failure.split(separator: "\n").first.map(String.init) ?? ""
        return opening + "><failure message=\"\(escaped(first))\">\(escaped(failure))</failure></testcase>"
    }

    /// Escapes a text for XML. Line ends are its only control characters, and XML 1.0 permits them.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
            "\"", with: "&quot;")
    }
}
