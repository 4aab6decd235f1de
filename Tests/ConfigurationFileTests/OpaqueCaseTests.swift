import ConfigurationFile
import TestSupport
import Testing

struct OpaqueCaseTests {
    private let folder: FolderOfSecrets

    init() throws {
        folder = try FolderOfSecrets([
            ("secret", "xyzzy\n"), ("open", "xyzzy"), ("empty", " \n"), ("long", String(repeating: "x", count: 4097)),
        ])
    }

    @Test(arguments: try ProblemCase.all("opaque"))
    func `a mistake in the handling of opaque tokens is reported with its location (T425)`(_ example: ProblemCase) {
        #expect(folder.load(example.text).problems.map { $0.rendered(file: "FILE") } == example.problems)
    }
}
