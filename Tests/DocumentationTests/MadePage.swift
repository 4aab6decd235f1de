import Foundation
import Testing

/// A page generated from the program's own reference data.
struct MadePage {
    /// Path relative to the top of the repository.
    let path: String
    /// Text of the file. The prose of a page is filled.
    let text: String

    init(path: String, text: String) {
        self.path = path
        self.text = path.hasSuffix(".md") ? FilledText.fill(text) : text
    }

    static let notice =
        "<!-- Made from the program by `make docs`; a test compares. Change the source, not this page. -->"

    /// Compares the page with its file; `BEARWARD_WRITE_DOCS=1` writes the file instead.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(path)").standardized
        if ProcessInfo.processInfo.environment["BEARWARD_WRITE_DOCS"] == "1" { try Data(text.utf8).write(to: file) }
        let written = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        #expect(written == text, "\(path) is not what the program says: make docs", sourceLocation: sourceLocation)
    }
}
