import Foundation
import TestSupport
import Testing

/// Request heads that other parsers judge as well, or read after the gateway.
@Suite(.serialized) final class HeadComparisonTests {
    private static let (haproxy, nginx) = (
        URL(fileURLWithPath: "/usr/sbin/haproxy"), URL(fileURLWithPath: "/usr/sbin/nginx")
    )
    private static let areInstalled =
        Interop.python != nil && [haproxy, nginx].allSatisfy { FileManager.default.isExecutableFile(atPath: $0.path) }

    @Test(.enabled(if: HeadComparisonTests.areInstalled, "haproxy, nginx or python3 is not installed"))
    func `T254 heads that HAProxy or nginx refuses are refused here too, except explained differences`() async throws {
        let python = try #require(Interop.python)
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let script = Interop.packageDirectory.appendingPathComponent("Tests/EndToEndTests/Interop/heads.py").path
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        let run = try BearwardProcess(
            program: python, [script, program, Self.haproxy.path, Self.nginx.path, folder.url.path, "5000", "254"])
        #expect(
            await run.exitStatus(within: .seconds(180)) == 0, "\(run.standardOutput) \(run.standardError.suffix(2000))")
    }

    private static let hasReaders =
        [Interop.pythonWithHTTPParsers, Interop.haproxy, Interop.currentNginx, Interop.envoy].allSatisfy { $0 != nil }
    private static let environment = ProcessInfo.processInfo.environment

    /// `BEARWARD_HEADS` sets the number of heads, `BEARWARD_SEED` selects others.
    @Test(.enabled(if: HeadComparisonTests.hasReaders, "h11, h2, haproxy, a current nginx or Envoy is not installed"))
    func `T258 forwarded heads are byte for byte as judged, and five other parsers agree`() async throws {
        let (python, haproxy) = (try #require(Interop.pythonWithHTTPParsers), try #require(Interop.haproxy))
        let (nginx, envoy) = (try #require(Interop.currentNginx), try #require(Interop.envoy))
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        let count = Self.environment["BEARWARD_HEADS"].flatMap { Int($0) } ?? 3000
        let run = try BearwardProcess(
            program: python,
            [
                Interop.script("carried_heads.py"), program, haproxy.path, nginx.path, envoy.path, folder.url.path,
                "\(count)",
            ]
                + [Self.environment["BEARWARD_SEED"] ?? "258"])
        let status = await run.exitStatus(within: .seconds(180 + count / 100))
        #expect(status == 0, "\(run.standardOutput.suffix(4000)) \(run.standardError.suffix(2000))")
    }
}
