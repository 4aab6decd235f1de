import ConfigurationFile

/// Result of one test.
public struct TestResult: Sendable {
    public let name: String
    /// Position of the test in the test file.
    public let place: FilePlace
    public let request: String
    /// Expectations that the outcome does not meet. Empty if the test passes.
    public let mismatches: [Mismatch]
    /// Rule of the configuration that matched the request. Nil if none did.
    public let rule: ConfiguredResource.WrittenRule?
    /// The check that decided, with its detail. Nil if the test passes.
    public let decision: String?
    /// Advice on a common mistake that usually causes this rejection. Nil if there is none.
    public let hint: String?

    public var isFine: Bool { mismatches.isEmpty }
}

/// Coverage of a configuration by the passing tests.
public struct Coverage: Sendable {
    /// Number of items to cover: for each rule a permitted and a refused request, and each part of a requirement.
    public private(set) var total = 0
    /// Items that no test covers, with their position in the configuration.
    public private(set) var missing: [Gap] = []

    public struct Gap: Sendable {
        public let text: String
        public let place: FilePlace
    }

    public var covered: Int { total - missing.count }

    mutating func note(_ isCovered: Bool, _ text: @autoclosure () -> String, at place: FilePlace) {
        total += 1
        if !isCovered { missing.append(Gap(text: text(), place: place)) }
    }
}

/// Result of running the tests with every mutant.
public struct MutationResult: Sendable {
    public internal(set) var count = 0
    /// Mutants that no test notices.
    public internal(set) var survivors: [Mutant] = []

    public var noticed: Int { count - survivors.count }
}
