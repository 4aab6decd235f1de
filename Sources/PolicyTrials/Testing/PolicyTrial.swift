import AccessControl
import AssumedTokens
import ConfigurationFile
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Runs the tests of a policy: the code that judges traffic judges each request. Signatures count as valid.
public final class PolicyTrial {
    let configuration: Configuration
    private let policy: PolicyUnderTest
    private let prepared: [PreparedTest]
    private let seen: [Observation]
    /// Time of tests that state none.
    let now: NumericDate
    public let results: [TestResult]

    /// Runs all tests of a file.
    ///
    /// - Parameter now: time of tests that state none.
    /// - Throws: `PlaceConflict` if two resources have the same place, which no valid configuration has.
    public init(_ file: PolicyTestsFile, of configuration: Configuration, at now: NumericDate) throws(PlaceConflict) {
        self.configuration = configuration
        let policy = PolicyUnderTest(configuration)
        let authorizer = try policy.authorizer()
        let tokens = TestTokens(issuers: policy.issuers, resources: policy.resources)
        let prepared = file.tests.map {
            PreparedTest($0, tokens, authorizer, limits: configuration.limits.head, now: now)
        }
        let seen = prepared.map { $0.judged(by: authorizer) }
        results = zip(prepared, seen).map { test, observation in
            let mismatches = test.stated.expectation.mismatches(observation, configuration)
            let step = mismatches.isEmpty ? nil : test.decidingStep(authorizer)
            return TestResult(
                name: test.stated.name, place: test.stated.place,
                request: "\(test.stated.request.method) \(test.stated.request.url)",
                mismatches: mismatches, rule: observation.writtenRule(of: configuration),
                decision: step.map { "\($0.name): \($0.detail)" }, hint: observation.facts?.hint
            )
        }
        self.policy = policy
        self.now = now
        self.prepared = prepared
        self.seen = seen
    }

    /// Tests that pass, with their outcomes. Only these prove something about the policy.
    private var holding: [(test: PreparedTest, seen: Observation)] {
        zip(zip(prepared, seen), results).compactMap { $1.isFine ? (test: $0.0, seen: $0.1) : nil }
    }

    /// Values in the tokens of all tests.
    var tokens: SeenTokens {
        SeenTokens(
            verified: seen.compactMap { $0.facts?.token }, claims: prepared.compactMap(\.claims),
            headers: prepared.compactMap(\.header))
    }

    private var mutants: [Mutant] { Mutants(configuration: configuration, seen: tokens, now: now).all }

    // MARK: Coverage

    /// Measures which rules and which parts of requirements the passing tests cover.
    public func coverage() -> Coverage {
        let holding = holding
        var coverage = Coverage()
        for (resource, configured) in configuration.resources.indexed {
            if configured.terms.isClosed(nil, at: now) {
                coverage.note(
                    holding.contains { $0.seen.resource == resource && $0.seen.isInMaintenance },
                    "\(configured.terms.identifier): no test has a request refused for maintenance",
                    at: configured.place)
            }
            for (rule, policy) in configured.terms.policies.indexed {
                guard let written = configured.rules[rule] else { continue }
                let (name, place) = (written.name, written.place)
                let own = holding.filter { $0.seen.resource == resource && $0.seen.rule == rule }
                guard !configured.terms.isClosed(rule, at: now) else {
                    if configured.terms.isClosed(nil, at: now) { continue }
                    coverage.note(
                        own.contains(where: \.seen.isInMaintenance),
                        "\(name): no test has a request refused for maintenance", at: place)
                    continue
                }
                coverage.note(
                    own.contains { $0.seen.isPermitted }, "\(name): no test has a permitted request", at: place)
                guard policy != .public else { continue }
                coverage.note(own.contains { $0.seen.isRefused }, "\(name): no test has a refused request", at: place)
            }
        }
        for mutant in mutants where mutant.isDrop && mutant.rule != nil {
            coverage.note(
                opens(mutant, holding) ?? true, "\(mutant.text): no test has a request refused only for this",
                at: mutant.place
            )
        }
        return coverage
    }

    // MARK: Mutants

    /// Applies each mutant to the policy, one at a time, and runs the passing tests.
    public func mutate() -> MutationResult {
        let holding = holding
        var result = MutationResult()
        for mutant in mutants {
            guard let isNoticed = isNoticed(mutant, holding), isNoticed || !isEquivalent(mutant, holding) else {
                continue
            }
            result.count += 1
            if !isNoticed { result.survivors.append(mutant) }
        }
        return result
    }

    /// True if some test proves the changed part: it notices the mutant, and for a removed part of a requirement a
    /// request is refused for that part alone.
    func shows(_ mutant: Mutant) -> Bool {
        let holding = holding
        guard isNoticed(mutant, holding) ?? true else { return false }
        return !mutant.isDrop || mutant.rule == nil || opens(mutant, holding) ?? true
    }

    /// True if some test fails under the change. Nil if the change is impossible.
    private func isNoticed(_ mutant: Mutant, _ holding: [(test: PreparedTest, seen: Observation)]) -> Bool? {
        difference(mutant, holding) { _, after, test in
            !test.stated.expectation.mismatches(after, configuration).isEmpty
        }
    }

    /// True if the change permits some test's request that is refused without it. Nil if the change is impossible.
    private func opens(_ mutant: Mutant, _ holding: [(test: PreparedTest, seen: Observation)]) -> Bool? {
        difference(mutant, holding) { before, after, _ in before.isRefused && after.isPermitted }
    }

    /// True if the outcome of some test differs under the change, as `differs` defines it. Nil if the change is
    /// impossible.
    private func difference(
        _ mutant: Mutant, _ holding: [(test: PreparedTest, seen: Observation)],
        where differs: (_ before: Observation, _ after: Observation, PreparedTest) -> Bool
    ) -> Bool? {
        guard let authorizer = try? policy.changed(by: mutant)?.authorizer() else { return nil }
        return holding.contains { entry in
            let (test, before) = entry
            guard mutant.resource.map({ $0 == before.resource }) ?? true else { return false }
            return differs(before, after(mutant, test, authorizer), test)
        }
    }

    private func after(_ mutant: Mutant, _ test: PreparedTest, _ authorizer: AssumedAuthorizer) -> Observation {
        var after = test.judged(by: authorizer)
        // After a deletion, indices of later rules are smaller by one.
        if case .deletion(let resource, let deleted) = mutant.change, after.resource == resource, let rule = after.rule,
            rule.rawValue >= deleted.rawValue
        {
            after.rule = RuleIndex(rule.rawValue + 1)
        }
        return after
    }

    /// Whether removing the rule changes nothing for the tests: their requests for it then match other rules with the
    /// same policy.
    private func isEquivalent(_ mutant: Mutant, _ holding: [(test: PreparedTest, seen: Observation)]) -> Bool {
        guard case .deletion(let resource, let deleted) = mutant.change,
            let rules = configuration.resources[resource]?.terms,
            let policy = rules.policies[deleted], let authorizer = try? self.policy.changed(by: mutant)?.authorizer()
        else { return false }
        let own = holding.filter { $0.seen.resource == resource && $0.seen.rule == deleted }
        return !own.isEmpty
            && own.allSatisfy { entry in
                after(mutant, entry.test, authorizer).rule.flatMap { rules.policies[$0] } == policy
            }
    }
}
