import ConfigurationFile
import Foundation
import TestSupport
import Testing
import TransportSecurity

/// Every YAML example in README, SECURITY, CONTRIBUTING, `docs/` and `deploy/` is accepted by the gateway.
struct PageYAMLTests {
    struct Piece: Sendable, CustomTestStringConvertible {
        let page: String
        let text: String

        var testDescription: String { "\(page): \(text.prefix { $0 != "\n" })" }
    }

    private static let top = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    private static let pages: [String] = {
        let folders = ["docs", "deploy"].flatMap { folder in
            let files = (try? FileManager.default.subpathsOfDirectory(atPath: top.appending(path: folder).path)) ?? []
            return files.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
        }
        return ["README.md", "CONTRIBUTING.md", "SECURITY.md"] + folders
    }()

    private static func text(_ page: String) -> String {
        (try? String(contentsOf: top.appending(path: page), encoding: .utf8)) ?? ""
    }

    static let pieces: [Piece] = {
        pages.flatMap { page in
            text(page).split(separator: "\n```yaml\n").dropFirst().compactMap { rest in
                rest.firstRange(of: "\n```").map { Piece(page: page, text: String(rest[..<$0.lowerBound])) }
                // Policy tests are not configuration; `ExampleTests` runs them.
            }.filter { !$0.text.hasPrefix("tests:") }
        }
    }()

    /// Completes a piece of YAML to a whole file.
    private static func whole(_ piece: String) -> String {
        let issuer = "issuers:\n  company:\n    issuer: https://id.example.com\n    token_type: at+jwt\n"
        guard !piece.hasPrefix(" ") else { return whole(issuer + piece) }
        let hasResources = piece.contains(/(?m)^resources:/)
        let hasIssuers = piece.contains(/(?m)^issuers:/)
        let resources = """

            resources:
              https://api.example.com:
                upstream: http://127.0.0.1:9000
                rules: {ANY /**: {public: true}}

            """
        return piece + "\n" + (hasIssuers ? "" : issuer) + (hasResources ? "" : resources)
    }

    /// The files that pieces name.
    private static func folder(for text: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for match in text.matches(of: /\.\/[a-z\/-]+(\.(pem|key))?/) {
            let file = folder.url.appending(path: String(match.output.0.dropFirst(2)))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let content =
                switch match.output.2 {
                case "pem": SampleCertificates.localhost
                case "key": SampleCertificates.privateKey
                default:
                    file.lastPathComponent.hasSuffix("headers")
                        ? "Authorization: Bearer secret" : "0123456789abcdef0123456789abcdef"
                }
            try Data(content.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        return folder
    }

    @Test func `the pages contain YAML examples, and none is overlooked`() {
        #expect(Self.pieces.count >= 6)
        // The one with policy tests is in docs/testing.md.
        #expect(Self.pages.reduce(0) { $0 + Self.text($1).matches(of: /```ya?ml/).count } == Self.pieces.count + 1)
    }

    @Test(arguments: ["", "?"])
    func `the deny list of docs/denials.md loads, and does not with an error in it`(_ error: String) throws {
        let fence = try #require(Self.text("docs/denials.md").firstMatch(of: /(?s)```json\n(.+?)```/))
        let folder = try TemporaryFolder()
        let entries = String(fence.output.1).replacing("\"kid\"", with: "\"kid\(error)\"")
        _ = try folder.write(entries, to: "deny.jsonl")
        let text = Self.whole("issuers: {logto: {issuer: https://id.example.com, token_type: at+jwt}}\n")
        let result = Configuration.load(
            bytes: Array("deny_file: ./deny.jsonl\n\(text)".utf8), directory: folder.url.path, environment: [:],
            checkIdentity: .library)
        #expect(result.problems.contains { $0.severity == .error } == !error.isEmpty, "\(result.problems)")
    }

    @Test(arguments: pieces)
    func `every YAML example of the pages loads without errors`(_ piece: Piece) throws {
        let text = Self.whole(piece.text)
        let folder = try Self.folder(for: text)
        defer { withExtendedLifetime(folder) {} }
        let result = Configuration.load(
            bytes: Array(text.utf8), directory: folder.url.path, environment: [:], checkIdentity: .library)
        #expect(result.problems.filter { $0.severity == .error }.map { $0.rendered(file: piece.page) } == [], "\(text)")
    }
}
