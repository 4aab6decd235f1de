import Foundation

/// A file and its expected problems, from a `.cases` file of the vectors.
///
/// A case is `## its name`, then either `---` and the whole file, or pairs of `< text` and `> text` that replace a part
/// of `base.yaml` (`\n` and `\t` are line end and tab), then a line `= PROBLEM` for each problem. Without such a line
/// the file has none.
public struct ProblemCase: Sendable {
    public let name: String
    public let text: String
    public let problems: [String]

    /// Folder of the cases and of the files that some of them name.
    public static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors/configuration").path

    public static let environment = ["UPSTREAM": "http://127.0.0.1:9000", "EMPTY": "", "LIST": "[partner]"]

    public static func base() throws -> String {
        try String(contentsOfFile: directory + "/base.yaml", encoding: .utf8)
    }

    public static func all(_ area: String) throws -> [ProblemCase] {
        let file = try String(contentsOfFile: directory + "/\(area).cases", encoding: .utf8)
        let base = try base()
        return file.split(separator: "## ").map { ProblemCase($0, base: base) }
    }

    private init(_ block: Substring, base: String) {
        let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
        name = String(lines.first ?? "")
        problems = lines.filter { $0.hasPrefix("= ") }.map { String($0.dropFirst(2)) }
        if lines.dropFirst().first == "---" {
            text = lines.dropFirst(2).filter { !$0.hasPrefix("= ") }.joined(separator: "\n")
            return
        }
        var text = base
        var replaced = ""
        for line in lines.dropFirst() {
            let written = String(line.dropFirst(2).replacing("\\n", with: "\n").replacing("\\t", with: "\t"))
            if line.hasPrefix("< ") { replaced = written }
            // A replaced text must exist; otherwise the case would test something else.
            if line.hasPrefix("> ") {
                text = text.contains(replaced) ? text.replacing(replaced, with: written, maxReplacements: 1) : ""
            }
        }
        self.text = text
    }
}
