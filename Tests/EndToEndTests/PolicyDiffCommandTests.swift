import Foundation
import TestSupport
import Testing

/// `bearward diff` as the real command.
struct PolicyDiffCommandTests {
    private static func file(_ requirement: String, _ rest: String = "") -> String {
        """
        listen: 127.0.0.1:0
        issuers: {company: {issuer: "https://id.example.com", token_type: at+jwt}}
        resources:
          https://api.example.com/orders: {issuers: [company], upstream: "http://127.0.0.1:9000", rules: {GET /**: \(requirement)}}
        \(rest)
        """
    }

    private static func run(_ old: String, _ new: String, _ options: String...) async throws -> (Int32?, String, String)
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        for (name, text) in [("old.yaml", old), ("new.yaml", new)] { try folder.write(text, to: name) }
        let command = try BearwardProcess(
            ["diff"] + ["old.yaml", "new.yaml"].map { folder.path($0) } + options)
        let status = await command.exitStatus()
        func local(_ text: String) -> String { text.replacing(folder.url.path + "/", with: "") }
        return (status, local(command.standardOutput), local(command.standardError))
    }

    @Test func `diff exits with 1 if a request became allowed, and with 0 if not`() async throws {
        let (one, told, _) = try await Self.run(Self.file("read write"), Self.file("read"))
        #expect(one == 1)
        #expect(
            told == """
                now allowed: GET https://api.example.com/orders
                    claims: {"iss":"https://id.example.com","aud":"https://api.example.com/orders","scope":"read","iat":1767225600,"exp":1767225900}
                    header: {"alg":"RS256","typ":"at+jwt","kid":"key"}
                    old.yaml:4: GET /**: 403 insufficient_scope
                    new.yaml:4: GET /**: forwarded to http://127.0.0.1:9000

                now allowed: 1, now refused: 0, goes elsewhere: 0

                """, "\(told)")
        let (zero, refused, _) = try await Self.run(Self.file("read"), Self.file("read write"))
        #expect(zero == 0)
        #expect(refused.contains("now allowed: 0, now refused: 1, goes elsewhere: 0\n"), "\(refused)")
        let (same, nothing, _) = try await Self.run(
            Self.file("read"), Self.file("{all_of: [read]}", "limits: {body: 1MiB}"))
        #expect(same == 0)
        #expect(nothing == "no request is answered differently\nnot compared: limits, `identity` among them\n")
    }

    @Test func `diff exits with 78 for a file with errors, and reports the problems of both files`() async throws {
        let (status, output, errors) = try await Self.run(Self.file("{rols: [a]}"), Self.file("{publik: true}"))
        #expect(status == 78)
        #expect(output.isEmpty)
        #expect(errors.contains("old.yaml:4:"), "\(errors)")
        #expect(errors.contains("new.yaml:4:"), "\(errors)")
    }

    @Test func `diff prints its report as JSON`() async throws {
        let (status, output, _) = try await Self.run(Self.file("read"), Self.file("{public: true}"), "--format", "json")
        #expect(status == 1)
        let report = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        #expect(report["widens_nothing"] as? Bool == false)
        #expect(report["now_allowed"] as? Int == 1)
        let difference = try #require((report["differences"] as? [[String: Any]])?.first)
        #expect(difference["kind"] as? String == "now_allowed")
        #expect(difference["credentials"] as? String == "none")
        #expect((difference["old"] as? [String: Any])?["reason"] as? String == "missing_credentials")
        #expect((difference["new"] as? [String: Any])?["rule"] as? String == "GET /**")
    }

    @Test func `diff prints at most the requested number of differences, and counts all`() async throws {
        let (status, output, _) = try await Self.run(Self.file("read"), Self.file("{public: true}"), "--most", "0")
        #expect(status == 1)
        #expect(output == "1 more; --most 1 lists all\nnow allowed: 1, now refused: 0, goes elsewhere: 0\n")
        let (usage, _, _) = try await Self.run(Self.file("read"), Self.file("read"), "--most", "-1")
        #expect(usage == 64)
    }
}
