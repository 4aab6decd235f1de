import Foundation
import TestSupport
import Testing

/// `bearward schema`, judged by another implementation of JSON Schema.
struct SchemaEndToEndTests {
    /// A file, and the problems that `check` reports for it.
    private struct File {
        let name: String
        let text: String
        let problems: [String]

        var isAccepted: Bool { !problems.contains { $0.contains(": error: ") } }

        /// True if some error is about the form. A schema cannot check rules that depend on other keys, on files or on
        /// meaning.
        var isMalformed: Bool { problems.contains { $0.contains(": error: ") && isAboutForm($0) } }

        private func isAboutForm(_ problem: String) -> Bool {
            // A problem in the deny list file is not about the form of this file.
            guard !problem.contains(": deny_file: `") else { return false }
            let forms = [
                ": unknown key", ": expected ", " is not a whole number", " is not a duration", " is not a size",
                " in quotes is text",
                " is not `true` or `false`", ": has no value", "`issuer` is missing", "`token_type` is missing",
                "`rules` is missing", "`resources` is missing", "`address` is missing", ": must not be empty",
                " is not known here",
            ]
            return forms.contains { problem.contains($0) }
        }
    }

    private static func files() throws -> [File] {
        let cases = try ["process", "doors", "issuers", "profiles", "acceptance", "resources", "rules"].flatMap(
            ProblemCase.all)
        let examples = Interop.packageDirectory.appendingPathComponent("deploy/examples")
        let names = try FileManager.default.contentsOfDirectory(atPath: examples.path)
            .filter { $0.hasSuffix(".yaml") && !$0.hasSuffix(".tests.yaml") }
        return try cases.map { File(name: $0.name, text: $0.text, problems: $0.problems) }
            + names.map { name in
                File(
                    name: name, text: try String(contentsOf: examples.appendingPathComponent(name), encoding: .utf8),
                    problems: [])
            }
    }

    /// The schema's error for each file. Nil for a valid file.
    private static func verdicts(_ files: [File], by python: URL) async throws -> [String?] {
        let schema = try BearwardProcess(["schema"])
        #expect(await schema.exitStatus() == 0)
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(schema.standardOutput, to: "schema.json")
        let input = String(decoding: try JSONEncoder().encode(files.map(\.text)), as: UTF8.self)
        let judge = try BearwardProcess(program: python, [Interop.script("schema.py"), file.path], input: input)
        #expect(await judge.exitStatus() == 0, "\(judge.standardError)")
        return try JSONDecoder().decode([String?].self, from: Data(judge.standardOutput.utf8))
    }

    @Test(.enabled(if: Interop.pythonWithJSONSchema != nil, "no Python with jsonschema"))
    func `the schema accepts files that check accepts, and refuses files that check finds malformed`() async throws {
        let files = try Self.files()
        let verdicts = try await Self.verdicts(files, by: #require(Interop.pythonWithJSONSchema))
        #expect(verdicts.count == files.count)
        #expect(files.count { $0.isAccepted } > 100)
        #expect(files.count { $0.isMalformed } > 70)
        for (file, verdict) in zip(files, verdicts) {
            if file.isAccepted { #expect(verdict == nil, "\(file.name)\n\(file.text)") }
            if file.isMalformed { #expect(verdict != nil, "\(file.name)\n\(file.problems)\n\(file.text)") }
        }
    }
}
