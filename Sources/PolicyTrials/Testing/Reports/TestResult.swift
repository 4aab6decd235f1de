import ConfigurationFile

/// What came of one test.
public struct TestResult: Sendable {
    public let name: String
    /// In the file of tests.
    public let place: FilePlace
    public let request: String
    /// Empty: the test holds.
    public let mismatches: [Mismatch]
    /// The step of the walk that decided, of a test that does not hold.
    public let decision: String?
    /// What the operator should know about a refusal that is usually a mistake.
    public let hint: String?

    public var isFine: Bool { mismatches.isEmpty }
}

/// What the tests say something about.
public struct Coverage: Sendable {
    /// What there is to be covered: requests that rules let in and refuse, and parts of requirements.
    public private(set) var total = 0
    /// What is not covered, and where it is in the configuration.
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

/// Which changes of the policy the tests notice.
public struct MutationResult: Sendable {
    public internal(set) var count = 0
    /// Those that no test notices.
    public internal(set) var survivors: [Mutant] = []

    public var noticed: Int { count - survivors.count }
}
