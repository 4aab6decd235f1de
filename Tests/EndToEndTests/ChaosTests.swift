import Foundation
import TestSupport
import Testing

/// A shortened run of `Tests/Chaos`: connections with random and mutated bytes beside good traffic.
/// `BEARWARD_CHAOS_SECONDS` makes it longer.
@Suite(.serialized) struct ChaosTests {
    private static let seconds = ProcessInfo.processInfo.environment["BEARWARD_CHAOS_SECONDS"].flatMap { Int($0) } ?? 30

    @Test(
        .slow,
        .enabled(if: Interop.python != nil && Interop.openssl != nil, "python3 or openssl is not installed"),
        .enabled(if: !ProcessFigures.isSanitized, "a sanitizer's own memory says nothing of the worker's"),
    )
    func `no client input crashes the worker, fails a good request, or leaks anything`() async throws {
        // Enough connections for a leak of some kilobytes in one of many shapes to show, even on a slow machine.
        try await run(["--least-connections", "8000"])
    }

    @Test(
        .slow,
        .enabled(if: Interop.python != nil && Interop.openssl != nil, "python3 or openssl is not installed"),
        .enabled(if: geteuid() == 0, "only root can give a program a name server of its own"),
        .enabled(if: !ProcessFigures.isSanitized, "a sanitizer's own memory says nothing of the worker's"),
    )
    func `no client input with random signals and silent name servers crashes the worker`() async throws {
        try await run(["--signals", "--workers", "1", "--width", "24"])
    }

    private func run(_ options: [String]) async throws {
        let python = try #require(Interop.python)
        let commands = BearwardProcess.directory
        let chaos = try BearwardProcess(
            program: python,
            [
                "-B", Interop.packageDirectory.appendingPathComponent("Tests/Chaos").path, "--seconds",
                String(Self.seconds),
                "--binary", commands.appendingPathComponent("bearward").path,
                "--dev-binary", commands.appendingPathComponent("bearward-dev").path,
            ] + options)
        // After the load, which may take five times as long, the script waits for connections to close, each wait with
        // its own bound.
        let status = await chaos.exitStatus(within: .seconds(5 * Self.seconds + 400))
        print(chaos.standardOutput)
        #expect(status == 0, "\(chaos.standardOutput)\(chaos.standardError)")
    }
}
