import ConfigurationFile
import Foundation
import ProxySettings
import Testing

/// Files with secrets must have permissions, which a checkout does not keep: they are made here.
struct RedactionCaseTests {
    private let folder: URL

    init() throws {
        folder = URL.temporaryDirectory.appending(path: "bearward-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write("0123456789abcdef\n", to: "key", permissions: 0o600)
        try write("0123456789abcdef", to: "open", permissions: 0o604)
        try write("0123456789abcde\n", to: "short", permissions: 0o600)
        try write(String(repeating: "x", count: 4097), to: "long", permissions: 0o600)
    }

    private func write(_ text: String, to name: String, permissions: Int) throws {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
    }

    private func load(_ text: String) -> LoadResult {
        Configuration.load(text: text, directory: folder.path, environment: [:])
    }

    @Test(arguments: try ProblemCase.all("redact"))
    func `what is wrong with what is kept back is told with its place`(_ example: ProblemCase) {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(load(example.text).problems.map { $0.rendered(file: "FILE") } == example.problems)
    }

    @Test func `what is kept back is what the file says`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let example = try #require(try ProblemCase.all("redact").first)
        var expected = LogRedaction()
        (expected.subject, expected.clientID, expected.tokenID, expected.detail) = (.hashed, .hashed, .dropped, .dropped)
        (expected.path, expected.key) = (.rule, Array("0123456789abcdef".utf8))
        guard case .success(let configuration, _) = load(example.text) else { throw NotLoaded() }
        #expect(configuration.redaction == expected)
    }

    private struct NotLoaded: Error {}
}
