import ConfigurationFile
import ProxySettings
import TestSupport
import Testing

struct RedactionCaseTests {
    private let folder: FolderOfSecrets

    init() throws {
        folder = try FolderOfSecrets([
            ("key", "0123456789abcdef\n"), ("open", "0123456789abcdef"), ("short", "0123456789abcde\n"),
            ("long", String(repeating: "x", count: 4097)),
        ])
    }

    @Test(arguments: try ProblemCase.all("redact"))
    func `a mistake in the redaction settings is reported with its location`(_ example: ProblemCase) {
        #expect(folder.load(example.text).problems.map { $0.rendered(file: "FILE") } == example.problems)
    }

    @Test func `redaction settings are read as written`() throws {
        let example = try #require(try ProblemCase.all("redact").first)
        var expected = LogRedaction()
        (expected.subject, expected.clientID, expected.tokenID, expected.detail) = (
            .hashed, .hashed, .dropped, .dropped
        )
        (expected.path, expected.key) = (.rule, Array("0123456789abcdef".utf8))
        guard case .success(let configuration, _) = folder.load(example.text) else { throw NotLoaded() }
        #expect(configuration.redaction == expected)
    }

    private struct NotLoaded: Error {}
}
