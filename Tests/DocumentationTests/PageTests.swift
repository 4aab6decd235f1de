import Foundation
import JOSESigning
import TestSupport
import Testing
import TokenVerification

/// README and the pages of `docs/`: what they point at is there, and the first page stays one page.
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

    private static let first = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]

    /// The targets of a page's links to files of ours.
    private static func links(in text: String) -> [String] {
        text.matches(of: /\]\(([^()\s]+)\)/).map { String($0.output.1) }.filter {
            !$0.contains("://") && !$0.hasPrefix("mailto:")
        }
    }

    /// As GitHub makes them; a heading that is there already gets a number.
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

    @Test func `every link leads somewhere`() throws {
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

    @Test func `README is one page, and leads to every other`() throws {
        let readme = try Self.text("README.md")
        #expect(readme.utf8.count <= 8 * 1024)
        let links = Set(Self.links(in: readme))
        for page in try Self.first.dropFirst() + Self.pages(in: "docs") { #expect(links.contains(page), "\(page)") }
    }

    @Test func `CONTRIBUTING lists every decision, in order`() throws {
        let pages = try Self.pages(in: "docs/decisions")
        #expect(Self.links(in: try Self.text("CONTRIBUTING.md")).filter { $0.hasPrefix("docs/decisions/") } == pages)
        for (number, page) in zip(1..., pages) {
            let text = try Self.text(page)
            #expect(
                page.hasPrefix(
                    "docs/decisions/" + String(repeating: "0", count: 4 - String(number).count) + "\(number)-"),
                "\(page)")
            #expect(text.hasPrefix("# \(number). "), "\(page)")
            for part in ["## Context", "## Decision", "## Alternatives", "## Consequence"] {
                #expect(text.contains("\n\(part)\n"), "\(page)")
            }
        }
    }

    @Test func `the example of the libraries is the one that compiles`() throws {
        let example = try Self.text("Tests/DocumentationTests/LibraryExample.swift").trimmingCharacters(in: .newlines)
        #expect(try Self.text("docs/library.md").contains("```swift\n\(example)\n```"))
    }

    @Test func `the example does what it says`() throws {
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
}
