import Foundation
import Testing

/// Extent of the test run.
public enum Effort {
    /// True if slow tests run too: `BEARWARD_TESTS=all`.
    public static let isFull = ProcessInfo.processInfo.environment["BEARWARD_TESTS"] == "all"

    /// All of some cases, or the first few of them. `.ci/test` finds tests that use this in their attribute like those
    /// marked `.slow`.
    public static func some<Case>(_ cases: some Collection<Case>, quick: Int) -> [Case] {
        Array(isFull ? cases.prefix(.max) : cases.prefix(quick))
    }
}

extension Trait where Self == ConditionTrait {
    /// Marks a test that takes seconds and proves something that quick tests prove with fewer cases: `make test` skips
    /// it, `make test-all` runs it.
    ///
    /// `.ci/test` finds marked tests by this name, in the attribute of a test or of a suite.
    public static var slow: Self { .enabled("slow; `make test-all` runs it") { Effort.isFull } }
}
