import ConfigurationFile

/// Result of one test.
public struct TestResult: Sendable {
    public let name: String
    /// In the file of tests.
    public let place: FilePlace
    public let request: String
    /// Empty: the test holds.
    public let mismatches: [Mismatch]
    /// Rule of the configuration that matched the request. Nil if none did.
    public let rule: ConfiguredResource.WrittenRule?
    /// The step of the walk that decided, of a test that does not hold.
    public let decision: String?
    /// Advice for the operator about a rejection that usually has a common mistake as cause.
    public let hint: String?

    public var isFine: Bool { mismatches.isEmpty }
}

/// Parts of the configuration that the tests cover.
public struct Coverage: Sendable {
    /// Number of things to cover: requests that rules permit and reject, and parts of requirements.
    public private(set) var total = 0
    /// Gaps in the coverage, with their location in the configuration.
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

/// Mutants and the tests' result for them.
public struct MutationResult: Sendable {
    public internal(set) var count = 0
    /// Mutants that no test notices.
    public internal(set) var survivors: [Mutant] = []

    public var noticed: Int { count - survivors.count }
}
