import Foundation
import Testing

/// `Tests/THREATS.md`, compared with the ids that the tests name.
struct ThreatListTests {
    private static let tests = Interop.packageDirectory.appendingPathComponent("Tests")

    private static func ids(in text: some StringProtocol) -> Set<String> {
        Set(String(text).matches(of: /\b[TF][0-9]{2,3}\b/).map { String($0.output) })
    }

    /// The ids of one list's rows.
    private static func rows(_ text: Substring) -> [String] {
        text.split(separator: "\n").compactMap { $0.firstMatch(of: /^\| ([TF][0-9]+) \|/).map { String($0.output.1) } }
    }

    private static func named() throws -> Set<String> {
        let files =
            FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        return try files.filter {
            ["swift", "py"].contains($0.pathExtension) && $0.lastPathComponent != "ThreatListTests.swift"
                // What fuzz targets are built of.
                && !$0.pathComponents.contains(".build")
        }
        .reduce(into: []) { $0.formUnion(ids(in: try String(contentsOf: $1, encoding: .utf8))) }
    }

    @Test func `every threat has a test or a reason against one, and every id in a test is a threat`() throws {
        let text = try String(contentsOf: Self.tests.appendingPathComponent("THREATS.md"), encoding: .utf8)
        let heading = try #require(text.range(of: "## Without a test"))
        let (cases, untested) = (Self.rows(text[..<heading.lowerBound]), Self.rows(text[heading.upperBound...]))
        #expect(cases.count > 400)
        #expect(Set(cases).count == cases.count, "a case stands twice")
        let named = try Self.named()
        #expect(named.subtracting(cases) == [], "named by a test and not listed")
        #expect(Set(cases).subtracting(named) == Set(untested), "without a test")
    }
}
