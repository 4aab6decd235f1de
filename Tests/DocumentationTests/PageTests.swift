import ConfigurationFile
import Foundation
import JOSESigning
import TestSupport
import Testing
import TokenVerification

/// README and the pages of `docs/`: every link has a target, and the first pages stay short.
@Suite struct PageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    private static func text(_ page: String) throws -> String {
        try String(contentsOf: root.appending(path: page), encoding: .utf8)
    }

    private static func pages(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).filter {
            $0.hasSuffix(".md")
        }.sorted()
            .map { "\(folder)/\($0)" }
    }

    private static let first = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]

    private static func decisions() throws -> [String] {
        try pages(in: "docs/decisions").filter { !$0.hasSuffix("README.md") }
    }

    /// The line that gives a decision's status and date.
    private static var status: Regex<(Substring, Substring, Substring)> {
        /\n(Accepted|Replaced), (\d{4}-\d\d-\d\d)\.\n/
    }

    /// Targets of a page's links to files of the repository.
    private static func links(in text: String) -> [String] {
        text.matches(of: /\]\(([^()\s]+)\)/).map { String($0.output.1) }.filter {
            !$0.contains("://") && !$0.hasPrefix("mailto:")
        }
    }

    /// Anchors of headings as GitHub makes them; a repeated heading gets a number.
    private static func anchors(of text: String) -> Set<String> {
        var seen: [String: Int] = [:]
        let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
        return Set(
            headings.map { heading in
                let name = String(
                    heading.drop { $0 == "#" }.dropFirst().lowercased().filter {
                        $0.isLetter || $0.isNumber || " -_".contains($0)
                    }
                ).replacing(" ", with: "-")
                defer { seen[name, default: 0] += 1 }
                return seen[name].map { "\(name)-\($0)" } ?? name
            })
    }

    @Test func `every link in the documentation has an existing target`() throws {
        var count = 0
        for page in try Self.first + Self.pages(in: "docs") + Self.pages(in: "docs/decisions") {
            let folder = page.lastIndex(of: "/").map { page[...$0] } ?? ""
            let text = try Self.text(page)
            for link in Self.links(in: text) {
                count += 1
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? page : "\(folder)\(parts[0])"
                let file = Self.root.appending(path: target).standardized
                #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(link)")
                guard parts.count > 1 else { continue }
                let linked = try String(contentsOf: file, encoding: .utf8)
                #expect(Self.anchors(of: linked).contains(String(parts[1])), "\(page): \(link)")
            }
        }
        #expect(count > 50)
    }

    @Test(arguments: [("README.md", 8192), ("CONTRIBUTING.md", 9216), ("CHANGELOG.md", 4096)])
    func `the first pages stay short`(_ page: String, _ mostBytes: Int) throws {
        #expect(try Self.text(page).utf8.count <= mostBytes)
    }

    @Test func `the README links to the index, and the index to every page`() throws {
        let pages = try Self.pages(in: "docs").filter { $0 != "docs/README.md" }
        #expect(Self.links(in: try Self.text("README.md")).contains("docs/README.md"))
        let links = Set(Self.links(in: try Self.text("docs/README.md")).map { String($0.prefix { $0 != "#" }) })
        for page in pages { #expect(links.contains(String(page.dropFirst("docs/".count))), "\(page)") }
        for page in Self.first { #expect(links.contains("../\(page)"), "\(page)") }
    }

    @Test func `every decision has a number, a status, a date and four parts`() throws {
        for (number, page) in zip(1..., try Self.decisions()) {
            let text = try Self.text(page)
            #expect(
                page.hasPrefix(
                    "docs/decisions/" + String(repeating: "0", count: 4 - String(number).count) + "\(number)-"),
                "\(page)")
            #expect(text.hasPrefix("# \(number). "), "\(page)")
            #expect(text.contains(Self.status), "\(page): a line such as `Accepted, 2026-11-24.`")
            for part in ["## Context", "## Decision", "## Alternatives", "## Consequence"] {
                #expect(text.contains("\n\(part)\n"), "\(page)")
            }
        }
    }

    @Test func `the index of decisions names every decision with its status and date`() throws {
        let rows = try Self.decisions().map { page in
            let text = try Self.text(page)
            let title = try #require(text.firstMatch(of: /# (\d+)\. (.+)/))
            let status = try #require(text.firstMatch(of: Self.status))
            let file = page.drop { $0 != "/" }.dropFirst("/decisions/".count)
            return "| [\(title.1)](\(file)) | \(title.2) | \(status.1), \(status.2) |\n"
        }
        let index = MadePage(
            path: "docs/decisions/README.md",
            text: """
                # Decisions

                \(MadePage.notice)

                Each page says what made the decision necessary, what was decided, what else was considered, and what follows.
                A decision that is replaced keeps its number. Its page is written anew, with the new date.

                | | Decision | Status |
                | --- | --- | --- |
                \(rows.joined())
                """)
        try index.check()
    }

    @Test func `the example in docs/library.md is the one that is compiled`() throws {
        let example = try Self.text("Tests/DocumentationTests/LibraryExample.swift").trimmingCharacters(in: .newlines)
        #expect(try Self.text("docs/library.md").contains("```swift\n\(example)\n```"))
    }

    @Test func `the library example works as described`() throws {
        let guardian = try OrdersGuard(keySet: Array(SigningKey.jwkSetJSON([TestKeys.rsa]).utf8))
        let good = TestToken.good.with("iss", #""https://id.example.com""#).with(
            "aud", #""https://api.example.com/orders""#)
        let now = NumericDate(seconds: TestToken.now)
        #expect(
            try guardian.subject(of: good.with("scope", #""orders:read""#).signed(by: TestKeys.rsa), at: now)
                == "user-1")
        #expect(throws: OrdersGuard.NotPermitted.self) {
            try guardian.subject(of: good.signed(by: TestKeys.rsa), at: now)
        }
        #expect(throws: TokenRefusal.self) {
            try guardian.subject(of: good.with("exp", "1").signed(by: TestKeys.rsa), at: now)
        }
    }

    @Test func `SECURITY lists each setting that weakens a check, and no other`() throws {
        let rows = try Self.text("SECURITY.md").split(separator: "\n").filter {
            $0.hasPrefix("| `") && !$0.hasPrefix("| `key` |")
        }
        let known = WeakeningSetting.allCases.map { "| `\($0.rawValue)` | \($0.text.setting) | \($0.text.meaning) |" }
        #expect(rows.map(String.init) == known)
    }
}
