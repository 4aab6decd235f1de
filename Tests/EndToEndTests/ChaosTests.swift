import Foundation
import TestSupport
import Testing

/// `Tests/Chaos`, shortened: connections of random and mutated bytes beside good traffic. `BEARWARD_CHAOS_SECONDS`
/// makes it longer.
@Suite(.serialized) struct ChaosTests {
    private static let seconds = ProcessInfo.processInfo.environment["BEARWARD_CHAOS_SECONDS"].flatMap { Int($0) } ?? 30

    @Test(
        .slow,
        .enabled(if: Interop.python != nil && Interop.openssl != nil, "python3 or openssl is not installed"),
        .enabled(if: !ProcessFigures.isSanitized, "a sanitizer's own memory says nothing of the worker's"),
    )
    func `nothing that clients send ends the worker, fails a good request, or leaves anything behind`() async throws {
        // Enough for a leak of some kilobytes on one shape among many to show, however slow the machine is.
        try await run(["--least-connections", "8000"])
    }

    @Test(
        .slow,
        .enabled(if: Interop.python != nil && Interop.openssl != nil, "python3 or openssl is not installed"),
        .enabled(if: geteuid() == 0, "only root can give a program a name server of its own"),
        .enabled(if: !ProcessFigures.isSanitized, "a sanitizer's own memory says nothing of the worker's"),
    )
    func `nor do signals at any time and name servers that fall silent beside it`() async throws {
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
        // Behind the load, which may take five times as long, are the waits for connections to end, each with a bound
        // of its own.
        let status = await chaos.exitStatus(within: .seconds(5 * Self.seconds + 400))
        print(chaos.standardOutput)
        #expect(status == 0, "\(chaos.standardOutput)\(chaos.standardError)")
    }
}
