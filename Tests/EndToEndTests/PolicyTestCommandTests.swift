import Foundation
import TestSupport
import Testing

/// `bearward test` as the real command.
struct PolicyTestCommandTests {
    private static let configuration = """
        listen: 127.0.0.1:0
        issuers: {company: {issuer: "https://id.example.com", token_type: at+jwt}}
        resources:
          https://api.example.com/orders: {issuers: [company], upstream: "http://127.0.0.1:9000", rules: {GET /**: orders:read}}
        """

    private static func run(_ tests: String, _ options: String...) async throws -> (Int32?, String, String) {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        for (name, text) in [("bearward.yaml", configuration), ("tests.yaml", tests)] {
            try folder.write(text, to: name)
        }
        let paths = ["bearward.yaml", "tests.yaml"].map { folder.path($0) }
        let command = try BearwardProcess(["test", "--config"] + paths + options)
        let status = await command.exitStatus()
        func local(_ text: String) -> String { text.replacing(folder.url.path + "/", with: "") }
        return (status, local(command.standardOutput), local(command.standardError))
    }

    private static let good = """
        tests:
          - {request: GET https://api.example.com/orders/7, issuer: company, claims: {scope: "orders:read"}, expect: {status: 200}}
          - {request: GET https://api.example.com/orders/7, issuer: company, claims: {scope: other}, expect: {status: 403}}
        """

    @Test func `passing policy tests exit with 0, failing ones with 1, and a file with errors with 78`() async throws {
        let (fine, output, _) = try await Self.run(Self.good, "--require-coverage")
        #expect(fine == 0, "\(output)")
        #expect(output == "2 tests, all fine\ncoverage: 3 of 3\n")
        let (failed, told, _) = try await Self.run(Self.good.replacing("403", with: "401"))
        #expect(failed == 1)
        #expect(told.hasPrefix("tests.yaml:3:5: error: failed: GET https://api.example.com/orders/7\n"), "\(told)")
        let (wrong, nothing, errors) = try await Self.run(Self.good.replacing("claims", with: "clams"))
        #expect(wrong == 78)
        #expect(nothing.isEmpty)
        #expect(errors.hasPrefix("tests.yaml:2:"), "\(errors)")
        #expect(errors.contains("did you mean `claims`?"), "\(errors)")
    }

    @Test func `a surviving mutant exits with 1`() async throws {
        let (status, output, _) = try await Self.run(Self.good, "--mutate", "--format", "json")
        #expect(status == 1)
        #expect(output.contains("GET /**: for ANY method"), "\(output)")
    }

    @Test func `test --propose prints the missing tests, which then notice every mutant`() async throws {
        let (status, proposed, errors) = try await Self.run(Self.good, "--propose")
        #expect(status == 0, "\(errors)")
        #expect(proposed.contains("name: \"GET /**: for ANY method\""), "\(proposed)")
        let all = Self.good + "\n" + proposed.replacing("tests:\n", with: "")
        let (noticed, output, _) = try await Self.run(all, "--mutate", "--require-coverage")
        #expect(noticed == 0, "\(output)")
        #expect(try await Self.run(all, "--propose").1.isEmpty)
    }

    @Test func `test --propose reports a failing test, which counts as missing`() async throws {
        let (status, proposed, errors) = try await Self.run(Self.good.replacing("403", with: "401"), "--propose")
        #expect(status == 1)
        #expect(errors.contains("tests.yaml:3:5: error: failed, so it counts as missing: GET "), "\(errors)")
        #expect(proposed.contains("GET /**: without scope orders:read"), "\(proposed)")
    }

    @Test func `schema --tests prints the schema of a test file`() async throws {
        let schema = try BearwardProcess(["schema", "--tests"])
        #expect(await schema.exitStatus() == 0)
        #expect(schema.standardOutput.contains("token_file"))
    }
}
