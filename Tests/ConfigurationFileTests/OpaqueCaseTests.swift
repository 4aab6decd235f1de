import ConfigurationFile
import Foundation
import Testing

/// Files with secrets must have permissions, which a checkout does not keep: they are made here.
struct OpaqueCaseTests {
    private let folder: URL

    init() throws {
        folder = URL.temporaryDirectory.appending(path: "bearward-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write("xyzzy\n", to: "secret", permissions: 0o600)
        try write("xyzzy", to: "open", permissions: 0o604)
        try write(" \n", to: "empty", permissions: 0o600)
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

    @Test(arguments: try ProblemCase.all("opaque"))
    func `what is wrong with the way opaque tokens are judged is told with its place (T425)`(_ example: ProblemCase) {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(load(example.text).problems.map { $0.rendered(file: "FILE") } == example.problems)
    }
}
