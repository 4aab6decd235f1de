import Foundation
import TestSupport
import Testing

/// Request heads that two other proxies judge as well.
@Suite(.serialized) final class HeadComparisonTests {
    private static let (haproxy, nginx) = (URL(fileURLWithPath: "/usr/sbin/haproxy"), URL(fileURLWithPath: "/usr/sbin/nginx"))
    private static let areInstalled =
        Interop.python != nil && [haproxy, nginx].allSatisfy { FileManager.default.isExecutableFile(atPath: $0.path) }

    @Test(.enabled(if: HeadComparisonTests.areInstalled, "haproxy, nginx or python3 is not installed"))
    func `T254 what HAProxy or nginx refuses is refused here too, but for what is explained`() async throws {
        let python = try #require(Interop.python)
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let script = Interop.packageDirectory.appendingPathComponent("Tests/EndToEndTests/Interop/heads.py").path
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        let run = try BearwardProcess(
            program: python, [script, program, Self.haproxy.path, Self.nginx.path, folder.url.path, "5000", "254"])
        #expect(await run.exitStatus(within: .seconds(180)) == 0, "\(run.standardOutput) \(run.standardError.suffix(2000))")
    }
}
