import Foundation
import FuzzComparisons
import FuzzTargets
import TestSupport
import Testing

/// Every seed, and every input that ever failed, once more.
@Suite struct FuzzReplayTests {
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("Fuzzing")

    /// Input files of a target. Seeds must exist; failures need not.
    private static func inputs(_ target: ReplayedTarget) throws -> [URL] {
        let seeds = directory.appendingPathComponent("Seeds/\(target.name)")
        let failures = directory.appendingPathComponent("FailCases/\(target.name)")
        let failed = (try? FileManager.default.contentsOfDirectory(at: failures, includingPropertiesForKeys: nil)) ?? []
        return try FileManager.default.contentsOfDirectory(at: seeds, includingPropertiesForKeys: nil) + failed
    }

    @Test(arguments: ReplayedTarget.all) func `every fuzzing seed and former failure passes its fuzz target`(
        _ target: ReplayedTarget
    ) throws {
        let inputs = try Self.inputs(target)
        #expect(!inputs.isEmpty)
        for input in inputs { target.run(Array(try Data(contentsOf: input))) }
    }

    @Test(arguments: ReplayedTarget.all) func `fuzzing seeds with changed bytes pass their fuzz target`(
        _ target: ReplayedTarget
    )
        throws
    {
        var generator = SeededGenerator(seed: 7)
        for input in try Self.inputs(target) {
            let bytes = Array(try Data(contentsOf: input))
            guard !bytes.isEmpty else { continue }
            for _ in 0..<50 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    changed[Int.random(in: changed.indices, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
                target.run(changed)
            }
        }
    }
}

/// Target of a fuzzer, of either kind.
struct ReplayedTarget: Sendable, CustomTestStringConvertible {
    /// Name of the target in the fuzzers, and of its seed directory.
    let name: String
    let run: @Sendable ([UInt8]) -> Void

    var testDescription: String { name }

    static let all: [ReplayedTarget] =
        FuzzTarget.allCases.map { target in ReplayedTarget(name: target.rawValue) { target.run($0) } }
        + FuzzComparison.allCases.map { target in ReplayedTarget(name: target.rawValue) { target.run($0) } }
}
