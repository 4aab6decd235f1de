import Foundation
import TestSupport
import Testing

/// A network whose names do not resolve and whose interface goes down, in a network namespace of its own.
@Suite(.serialized) final class NetworkFaultTests {
    private static let unshare = URL(fileURLWithPath: "/usr/bin/unshare")

    private static func mayHaveOwnNetwork() async throws -> Bool {
        guard FileManager.default.isExecutableFile(atPath: unshare.path) else { return false }
        let trial = try BearwardProcess(program: unshare, ["--net", "--mount", "sh", "-c", "ip link set lo up"])
        return await trial.exitStatus() == 0
    }

    @Test(
        .slow,
        .enabled("it needs python3, ip and a network namespace of its own") {
            guard Interop.python != nil else { return false }
            return try await NetworkFaultTests.mayHaveOwnNetwork()
        })
    func `F11, F44 unresolvable names and a lost interface block no request for long`() async throws {
        try await run("network.py")
    }

    @Test(
        .slow,
        .enabled("it needs python3, ip and a network namespace of its own") {
            guard Interop.python != nil else { return false }
            return try await NetworkFaultTests.mayHaveOwnNetwork()
        })
    func `F49 workers replaced while name servers are silent know the upstream addresses`()
        async throws
    {
        try await run("saved_names.py")
    }

    private func run(_ name: String) async throws {
        let python = try #require(Interop.python)
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let script = Interop.packageDirectory.appendingPathComponent("Tests/EndToEndTests/Interop/\(name)")
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        let run = try BearwardProcess(
            program: Self.unshare, ["--net", "--mount", python.path, script.path, program, folder.url.path])
        #expect(
            await run.exitStatus(within: .seconds(240)) == 0, "\(run.standardOutput) \(run.standardError.suffix(2000))")
    }
}
