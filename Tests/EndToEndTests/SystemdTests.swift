import Foundation
import TestSupport
import Testing

/// The units of `deploy/systemd`, and notifications to the service manager.
@Suite(.serialized) final class SystemdTests {
    private static let analyze = URL(fileURLWithPath: "/usr/bin/systemd-analyze")

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: SystemdTests.analyze.path),
            "systemd-analyze is not installed"))
    func `systemd accepts the units, and rates the exposure of the service as low`() async throws {
        let units = Interop.packageDirectory.appendingPathComponent("deploy/systemd")
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        var files: [String] = []
        for name in ["bearward.service", "bearward.socket"] {
            let text = try String(contentsOf: units.appendingPathComponent(name), encoding: .utf8)
            files.append(try folder.write(text.replacing("/usr/bin/bearward", with: program), to: name).path)
        }
        let verification = try BearwardProcess(program: Self.analyze, ["verify", "--man=no"] + files)
        #expect(await verification.exitStatus() == 0)
        #expect(verification.standardError == "")
        // The exposure in systemd's own rating is below 2 of 10.
        let estimate = try BearwardProcess(
            program: Self.analyze, ["security", "--offline=yes", "--threshold=20", files[0]])
        #expect(await estimate.exitStatus() == 0, "\(estimate.standardOutput)")
    }

    @Test(.enabled(if: Interop.python != nil, "python3 is not installed"))
    func `the service manager is notified when the gateway serves and when it stops`() async throws {
        let python = try #require(Interop.python)
        let fixture = try await GatewayFixture.start()
        let script = """
            import os, socket, subprocess, sys
            place = sys.argv[1]
            heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            heard.bind(place)
            heard.settimeout(20)
            gateway = subprocess.Popen(sys.argv[2:], env=os.environ | {"NOTIFY_SOCKET": place}, stderr=subprocess.DEVNULL)
            try:
                print(heard.recv(100).decode(), flush=True)
                gateway.terminate()
                print(heard.recv(100).decode(), gateway.wait(), flush=True)
            finally:
                gateway.kill()
                gateway.wait()
            """
        let program = BearwardProcess.directory.appendingPathComponent("bearward").path
        let place = fixture.directory.appendingPathComponent("notify").path
        let listener = try BearwardProcess(
            program: python, ["-c", script, place, program, "serve", "--config", fixture.file.path])
        #expect(await listener.exitStatus() == 0, "\(listener.standardError)")
        #expect(listener.standardOutput == "READY=1\nSTOPPING=1 0\n")
        await fixture.stop()
    }
}
