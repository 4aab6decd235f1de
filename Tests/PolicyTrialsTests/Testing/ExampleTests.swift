import ConfigurationFile
import Foundation
import IssuerProfiles
import ProxySettings
import TestSupport
import Testing
import TokenVerification

@testable import PolicyTrials

/// Every example has tests that cover it completely and notice every mutant.
struct ExampleTests {
    private struct Refused: Error {
        let problems: [String]
    }

    private static let top = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized
    private static let folder = top.appending(path: "deploy/examples")

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".yaml") && !$0.hasSuffix(".tests.yaml") }.sorted().map { String($0.dropLast(5)) }
    }

    private static func configuration(_ name: String) throws -> Configuration {
        // The example for the edge finds its certificates there.
        let certificates = try TemporaryFolder()
        defer { withExtendedLifetime(certificates) {} }
        for name in ["edge", "partner", "gateway"] {
            try certificates.write(SampleCertificates.localhost, to: "\(name).pem")
            try certificates.write(SampleCertificates.privateKey, to: "\(name).key")
        }
        for name in ["clients", "internal-ca"] {
            try certificates.write(SampleCertificates.trustAnchor, to: "\(name).pem")
        }
        let loaded = Configuration.load(
            path: folder.appending(path: "\(name).yaml").path, environment: ["TLS_DIRECTORY": certificates.url.path],
            checkIdentity: TLSIdentityCheck { _, _ in })
        guard case .success(let configuration, _) = loaded else {
            throw Refused(problems: loaded.problems.map { $0.rendered(file: name) })
        }
        return configuration
    }

    private static func report(_ tests: LoadResult<PolicyTestsFile>, _ configuration: Configuration) throws
        -> PolicyReport
    {
        guard case .success(let file, _) = tests else {
            throw Refused(problems: tests.problems.map { $0.rendered(file: "TESTS") })
        }
        let trial = try PolicyTrial(file, of: configuration, at: NumericDate(seconds: 1_800_000_000))
        return PolicyReport(
            configuration: "FILE", tests: "TESTS", results: trial.results, coverage: trial.coverage(),
            requiresCoverage: true,
            mutations: trial.mutate())
    }

    @Test func `the policy testing examples are present`() throws {
        #expect(try Self.names().count >= 21)
    }

    @Test(arguments: try names())
    func `the tests of an example pass, cover it completely, and notice every mutant`(_ name: String) throws {
        let configuration = try Self.configuration(name)
        let path = Self.folder.appending(path: "\(name).tests.yaml").path
        let tests = PolicyTestsFile.load(path: path, for: configuration, samples: ProviderToken.names, environment: [:])
        let report = try Self.report(tests, configuration)
        #expect(report.isFine, "\(report.text())")
        let mutants = try #require(report.mutations)
        #expect(mutants.count > 5)
        #expect(report.coverage.total > 2)
    }

    @Test(arguments: try names())
    func `tests proposed for an example pass, cover it completely, and notice every mutant`(_ name: String) throws {
        let configuration = try Self.configuration(name)
        let now = NumericDate(seconds: 1_800_000_000)
        let proposed = try PolicyTrial(.none, of: configuration, at: now).proposals()
        #expect(proposed.unresolved.map(\.text) == [])
        let tests = PolicyTestsFile.load(
            bytes: Array(proposed.text.utf8), directory: "", for: configuration, samples: [], environment: [:])
        let report = try Self.report(tests, configuration)
        #expect(report.isFine, "\(report.text())\n\(proposed.text)")
        #expect(report.results.count == proposed.count)
    }

    @Test func `the tests in docs/testing.md pass`() throws {
        let page = try String(contentsOf: Self.top.appending(path: "docs/testing.md"), encoding: .utf8)
        let start = try #require(page.firstRange(of: "```yaml\n")).upperBound
        let end = try #require(page[start...].firstRange(of: "```")).lowerBound
        let configuration = try Self.configuration("logto")
        let tests = PolicyTestsFile.load(
            bytes: Array(page[start..<end].utf8), directory: "", for: configuration, samples: ProviderToken.names,
            environment: [:])
        let report = try Self.report(tests, configuration)
        #expect(report.failed.map(\.name) == [], "\(report.text())")
        #expect(report.results.count == 3)
    }
}
