import Foundation

/// A page for readers, with the consoles that it shows.
struct DocumentedPage: Sendable {
    /// Its path in the repository.
    let name: String
    let blocks: [DocumentedBlock]
    /// Lines that look like shell commands outside a console: location and line.
    let strayCommands: [String]
    /// Number of blocks that are neither consoles nor YAML, by language.
    let otherBlocks: [String: Int]

    init(_ name: String) throws {
        let text = try String(contentsOf: Interop.packageDirectory.appendingPathComponent(name), encoding: .utf8)
        let fences = Fence.all(in: text)
        self.name = name
        blocks = fences.filter { $0.language == "console" }.map { DocumentedBlock(page: name, $0) }
        otherBlocks = Dictionary(grouping: fences.map(\.language).filter { !["console", "yaml"].contains($0) }) { $0 }
            .mapValues(\.count)
        strayCommands = fences.filter { $0.language != "console" }.flatMap { fence in
            let isShell = ["sh", "bash", "shell", "zsh"].contains(fence.language)
            return fence.lines.filter { isShell || $0.hasPrefix("$ ") }.map { "\(name):\(fence.line): \($0)" }
        }
    }

    /// The consoles that a test follows. `.ci/install-test` follows the others, which install packages or load images.
    var followedBlocks: [DocumentedBlock] {
        blocks.filter { !["sudo", "for"].contains($0.commands.first?.program) }
    }

    /// The pages whose commands are run.
    static func all() throws -> [DocumentedPage] {
        let files = FileManager.default.enumerator(
            atPath: Interop.packageDirectory.appendingPathComponent("deploy").path)
        let deploy = (files?.compactMap { $0 as? String } ?? []).map { "deploy/" + $0 }
        let flat = try ["docs", "docs/decisions", "benchmarks"].flatMap { directory in
            try FileManager.default.contentsOfDirectory(
                atPath: Interop.packageDirectory.appendingPathComponent(directory).path
            )
            .map { "\(directory)/\($0)" }
        }
        let names =
            ["README.md", "CONTRIBUTING.md", "SECURITY.md"] + (flat + deploy).filter { $0.hasSuffix(".md") }.sorted()
        return try names.map(DocumentedPage.init)
    }
}

/// Text between two lines of three backquotes, with the paragraphs around it.
struct Fence: Sendable {
    let language: String
    /// The number of its first line.
    let line: Int
    let lines: [String]
    let paragraphBefore: String
    let paragraphAfter: String

    static func all(in text: String) -> [Fence] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let bounds = lines.indices.filter { lines[$0].firstMatch(of: /^ *```/) != nil }
        return stride(from: 0, to: bounds.count - 1, by: 2).map { index in
            let (start, end) = (bounds[index], bounds[index + 1])
            let indentation = lines[start].prefix { $0 == " " }.count
            return Fence(
                language: lines[start].drop { $0 == " " || $0 == "`" }.trimmingCharacters(in: .whitespaces),
                line: start + 2,
                lines: lines[start + 1..<end].map { line in
                    String(line.dropFirst(min(indentation, line.prefix { $0 == " " }.count)))
                },
                paragraphBefore: paragraph(Array(lines[..<start].reversed())).reversed().joined(separator: " "),
                paragraphAfter: paragraph(Array(lines[(end + 1)...])).joined(separator: " "))
        }
    }

    private static func paragraph(_ lines: [String]) -> [String] {
        Array(lines.drop(while: \.isEmpty).prefix { !$0.isEmpty && !$0.hasPrefix("```") })
    }
}
