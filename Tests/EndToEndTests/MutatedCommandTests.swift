import Foundation
import Testing

/// A shortened run of `Tests/Fuzzing/commands.py`; `make soak` has ten thousand rounds of it.
struct MutatedCommandTests {
    private static let rounds = 40

    @Test(.enabled(if: Interop.pythonWithJoserfc != nil, "no Python with joserfc"))
    func `with mutated files and tokens, each command exits by itself and prints no raw control byte`() async throws {
        let python = try #require(Interop.pythonWithJoserfc)
        let commands = try BearwardProcess(
            program: python,
            [
                "-B", Interop.packageDirectory.appendingPathComponent("Tests/Fuzzing/commands.py").path, "--count",
                String(Self.rounds),
                "--binary", BearwardProcess.directory.appendingPathComponent("bearward").path,
            ])
        let status = await commands.exitStatus(within: .seconds(300))
        #expect(status == 0, "\(commands.standardOutput)\(commands.standardError)")
        #expect(commands.standardOutput.contains("\(Self.rounds) rounds"))
    }
}
