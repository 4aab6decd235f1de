import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Every seed, and every input that ever failed, once more.
@Suite struct FuzzReplayTests {
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzzing")

    /// The files of a target; seeds must be there, failures may not.
    private static func inputs(_ target: FuzzTarget) throws -> [URL] {
        let seeds = directory.appendingPathComponent("Seeds/\(target.rawValue)")
        let failures = directory.appendingPathComponent("FailCases/\(target.rawValue)")
        let failed = (try? FileManager.default.contentsOfDirectory(at: failures, includingPropertiesForKeys: nil)) ?? []
        return try FileManager.default.contentsOfDirectory(at: seeds, includingPropertiesForKeys: nil) + failed
    }

    @Test(arguments: FuzzTarget.allCases) func `every seed and former failure keeps the properties`(_ target: FuzzTarget) throws {
        let inputs = try Self.inputs(target)
        #expect(!inputs.isEmpty)
        for input in inputs { target.run(Array(try Data(contentsOf: input))) }
    }

    @Test(arguments: FuzzTarget.allCases) func `seeds with changed bytes keep the properties`(_ target: FuzzTarget) throws {
        var generator = SeededGenerator(seed: 7)
        for input in try Self.inputs(target) {
            let bytes = Array(try Data(contentsOf: input))
            guard !bytes.isEmpty else { continue }
            for _ in 0..<50 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    changed[Int.random(in: changed.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                }
                target.run(changed)
            }
        }
    }
}
