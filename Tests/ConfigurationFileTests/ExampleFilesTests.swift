import ConfigurationFile
import Foundation
import Testing

struct ExampleFilesTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "deploy/examples")

    static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }.sorted()
    }

    @Test func `there are examples`() throws {
        #expect(try Self.files().contains("minimal.yaml"))
        #expect(try Self.files().contains("generic.yaml"))
    }

    @Test(arguments: try files())
    func `an example loads without a problem`(_ name: String) {
        let path = Self.folder.appending(path: name).path
        let result = Configuration.load(path: path, environment: [:])
        #expect(result.problems.map { $0.rendered(file: name) } == [])
    }
}
