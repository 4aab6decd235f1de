import Foundation
import Testing

/// Commands in README, SECURITY, CONTRIBUTING and the pages of `docs/` and `deploy/` exist and have the options shown.
///
/// This includes commands within sentences. Consoles are run by `DocumentedConsoleTests`.
struct DocumentedCommandTests {
    /// A line of a console, beginning with the program.
    private struct Line {
        let page: String
        let words: [String]

        var program: String { String(words[0].split(separator: "/").last ?? "") }
        var subcommand: String? { words.dropFirst().first.flatMap { $0.hasPrefix("-") ? nil : $0 } }
        var options: [String] { words.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) } }
    }

    private static func lines() throws -> [Line] {
        let docs = Interop.packageDirectory.appendingPathComponent("docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: docs.path).filter { $0.hasSuffix(".md") }.map {
            "docs/" + $0
        }
        return try (["README.md", "SECURITY.md", "CONTRIBUTING.md", "deploy/kubernetes/README.md"] + names).flatMap {
            page in
            let text = try String(contentsOf: Interop.packageDirectory.appendingPathComponent(page), encoding: .utf8)
            return text.matches(
                of: /(?m)(?:^[$#] |`)((?:[a-z.\/]*\/)?(?:bearward|bearward-dev|make)(?: [^`\n]*)?)(?:`|$)/
            ).flatMap {
                match in
                // A line may have several commands, in the background or one after the other.
                match.output.1.split(separator: "&").map {
                    Line(page: page, words: $0.split(separator: " ").map(String.init))
                }
                .filter { ["bearward", "bearward-dev", "make"].contains($0.program) }
            }
        }
    }

    private static func help(_ program: String, _ subcommand: String?) async throws -> String? {
        let process = try BearwardProcess(["help"] + (subcommand.map { [$0] } ?? []), command: program)
        return await process.exitStatus() == 0 ? process.standardOutput : nil
    }

    @Test func `every command and option shown in the documentation exists`() async throws {
        let lines = try Self.lines()
        #expect(lines.count { $0.program == "bearward" } > 10)
        #expect(lines.count { $0.program == "make" } > 3)
        let makefile = try String(
            contentsOf: Interop.packageDirectory.appendingPathComponent("Makefile"), encoding: .utf8)
        for line in lines where line.program == "make" {
            guard let target = line.subcommand, !target.contains("=") else { continue }
            #expect(makefile.contains("\n\(target):"), "\(line)")
        }
        var told: [[String?]: String?] = [:]
        for line in lines where line.program != "make" {
            let key = [line.program, line.subcommand]
            if told[key] == nil { told[key] = .some(try await Self.help(line.program, line.subcommand)) }
            let text = try #require(told[key] ?? nil, "\(line)")
            for option in line.options where option != "--version" {
                #expect(text.contains(option), "\(line): \(option)")
            }
        }
    }
}
