import ConfigurationFile
import Files
import StrictJSON
import Testing

@testable import PolicyTrials

struct PolicyReportTests {
    private static let tests = """
        tests:
          - {request: GET https://api.example.com/shop/status, expect: {status: 200}}
          - {name: "a <b> & \\"c\\"", request: GET https://api.example.com/shop/orders/7, expect: {status: 200, scope: []}}
        """

    private static func report(requiresCoverage: Bool = false, mutates: Bool = false, _ tests: String = tests) throws
        -> PolicyReport
    {
        let trial = try PolicyTrialTests.trial(tests)
        return PolicyReport(
            configuration: "bearward.yaml", tests: "tests.yaml", results: trial.results, coverage: trial.coverage(),
            requiresCoverage: requiresCoverage, mutations: mutates ? trial.mutate() : nil)
    }

    @Test func `a failed test is reported with the expected and actual result, and the deciding step`() throws {
        let report = try Self.report()
        #expect(!report.isFine)
        #expect(
            report.text() == """
                tests.yaml:3:5: error: failed: a <b> & "c"
                    GET https://api.example.com/shop/orders/7
                    status: expected 200, seen 401
                    scope: expected none, seen read
                    matched bearward.yaml:12: GET /orders/**
                    decided by credentials: no Authorization field with the Bearer scheme
                2 tests, 1 failed
                coverage: 1 of 10

                """)
    }

    @Test func `a failed test whose request matches no rule names no rule`() throws {
        let text = try Self.report("tests: [{request: GET /x, expect: {status: 200}}]").text()
        #expect(text.contains("seen 404") && !text.contains("matched"), "\(text)")
    }

    @Test func `a report for a terminal is the same text with colours`() throws {
        let report = try Self.report(requiresCoverage: true, mutates: true)
        let coloured = report.text(TerminalPaint(isOn: true))
        #expect(coloured.contains("\u{1B}[31m1 failed\u{1B}[0m"))
        #expect(coloured.replacing(/\u{1B}\[\d+m/, with: "") == report.text())
    }

    @Test func `missing coverage fails the report only if coverage is required`() throws {
        let fine = "tests: [{request: GET https://api.example.com/shop/status, expect: {status: 200}}]"
        #expect(try Self.report(fine).isFine)
        let report = try Self.report(requiresCoverage: true, fine)
        #expect(!report.isFine)
        #expect(
            report.text().contains("\nbearward.yaml:12:7: error: GET /orders/**: no test has a permitted request\n"))
        #expect(report.text().hasPrefix("1 test, all fine\ncoverage: 1 of 10\n"))
    }

    @Test func `a mutant that no test notices fails the report, and is reported with its location`() throws {
        let report = try Self.report(mutates: true, "tests: [{request: GET /x, expect: {status: 404}}]")
        #expect(!report.isFine)
        #expect(report.text().contains("\nbearward.yaml:12:7: error: no test notices: GET /orders/**: public\n"))
        #expect(
            report.text().contains(
                "\nbearward.yaml:6:3: error: no test notices: https://api.example.com/shop: with tokens of partner\n"))
        #expect(report.text().contains("\nmutants: 0 of "))
    }

    @Test func `the JSON report is one object`() throws {
        let text = try Self.report(requiresCoverage: true, mutates: true).json
        let json = try JSONDocument(parsing: Array(text.utf8), limits: .document).root
        #expect(json["fine"]?.boolean == false)
        #expect(json["failed"]?.integer == 1)
        let test = try #require(json["tests"]?[index: 1])
        #expect(test["line"]?.integer == 3)
        #expect(test["mismatches"]?[index: 0]?["seen"]?.string == "401")
        #expect(test["rule"]?.string == "GET /orders/**")
        #expect(test["decision"]?.string == "credentials: no Authorization field with the Bearer scheme")
        #expect(json["coverage"]?["total"]?.integer == 10)
        #expect(json["coverage"]?["missing"]?.count == 9)
        #expect(json["mutants"]?["survivors"]?[index: 0]?["line"]?.integer != nil)
        #expect(try Self.report().json.contains("\"mutants\":null"))
    }

    @Test func `the JUnit report is valid XML, whatever the test names contain`() throws {
        let text = try Self.report(requiresCoverage: true).junit
        #expect(text.contains("<testsuite name=\"tests.yaml\" tests=\"3\" failures=\"2\">"))
        #expect(
            text.contains(
                "name=\"a &lt;b&gt; &amp; &quot;c&quot;\"><failure message=\"GET https://api.example.com/shop/orders/7\">"
            ))
        #expect(
            text.contains("<testcase classname=\"tests.yaml:2\" name=\"GET https://api.example.com/shop/status\"/>"))
        #expect(text.contains("name=\"coverage\"><failure"))
    }
}
