import AccessControl
import ConfigurationFile
import RequestAuthorization
import TokenVerification

extension PolicyTrial {
    /// Proposes a test for each rule that permits no request of the tests, and for each mutant that no test notices.
    ///
    /// A mutant that permits any value permits the values in the tests, and invented ones such as `any-scope`.
    ///
    /// - Throws: `PlaceConflict` if two resources have the same place, which no valid configuration has.
    public func proposals() throws(PlaceConflict) -> ProposedTests {
        var proposed = ProposedTests()
        var trials = [self]
        var count = 0
        repeat {
            // Values in a proposed test give further mutants.
            count = trials.count
            proposed.unresolved = []
            for mutant in closings + mutants(trials) where !trials.contains(where: { $0.shows(mutant) }) {
                let comparisons = try comparisons(with: mutant)
                if let found = found(in: comparisons, showing: mutant) {
                    proposed.append(found.test)
                    trials.append(found.trial)
                } else if comparisons.contains(where: {
                    !$0.outcome.differences.isEmpty || !$0.outcome.undecided.isEmpty
                }) {
                    proposed.unresolved.append(ProposedTests.Gap(text: mutant.text, place: mutant.place))
                }
            }
        } while trials.count > count
        return proposed
    }

    private struct Comparison {
        let outcome: PolicyComparison
        /// Whether an observed rule was compared as if it were enforced.
        let isObserved: Bool
    }

    /// Compares the configuration with the mutant. Empty if the change is impossible.
    ///
    /// A changed rule that is only observed is compared a second time as if it were enforced, since upstreams may see
    /// nothing of the change.
    private func comparisons(with mutant: Mutant) throws(PlaceConflict) -> [Comparison] {
        var comparisons: [Comparison] = []
        if let changed = configuration.changed(by: mutant) {
            comparisons.append(Comparison(outcome: try PolicyComparison(configuration, changed), isObserved: false))
        }
        if isObserved(mutant), let resource = mutant.resource {
            let enforcement = Mutant(mutant.text, at: mutant.place, .mode(resource, mutant.rule, .enforce))
            if let enforced = configuration.changed(by: enforcement), let changed = enforced.changed(by: mutant) {
                comparisons.append(Comparison(outcome: try PolicyComparison(enforced, changed), isObserved: true))
            }
        }
        return comparisons
    }

    /// True if the mutant changes an observed rule, other than its mode.
    private func isObserved(_ mutant: Mutant) -> Bool {
        if case .mode = mutant.change { return false }
        guard let resource = mutant.resource, let rule = mutant.rule,
            let terms = configuration.resources[resource]?.terms
        else { return false }
        return terms.mode(of: rule).isObserving(at: now)
    }

    private func mutants(_ trials: [PolicyTrial]) -> [Mutant] {
        Mutants(
            configuration: configuration, seen: SeenTokens.inventing(besides: trials.map(\.tokens)), now: now
        ).all
    }

    private typealias Candidate = (test: ProposedTest, trial: PolicyTrial)

    private func found(in comparisons: [Comparison], showing mutant: Mutant) -> Candidate? {
        for comparison in comparisons {
            if let found = candidates(comparison, of: mutant).first(where: { $0.trial.shows(mutant) }) { return found }
        }
        return nil
    }

    /// Maximum number of differences that are tried for one gap.
    private static let mostDifferences = 4

    private func candidates(_ comparison: Comparison, of mutant: Mutant) -> [Candidate] {
        let tests = comparison.outcome.differences.prefix(Self.mostDifferences).flatMap {
            ProposedTest.candidates($0, of: mutant, configuration, isObserved: comparison.isObserved)
        }
        return tests.compactMap { test in
            let file = PolicyTestsFile.load(
                bytes: Array("tests:\n\(test.yaml)".utf8), directory: "", for: configuration, samples: [],
                environment: [:])
            guard case .success(let file, _) = file, let trial = try? PolicyTrial(file, of: configuration, at: now),
                trial.results.allSatisfy(\.isFine)
            else { return nil }
            return (test, trial)
        }
    }

    /// Mutants that make one rule permit nothing. A test that notices one has a request that the rule permits.
    private var closings: [Mutant] {
        configuration.resources.indexed.flatMap { resource, configured in
            zip(configured.terms.policies.indexed, configured.rules).map { entry, rule in
                Mutant(
                    "\(rule.name): lets in", at: rule.place,
                    .policy(resource, entry.index, .requiring([.organization(oneOf: [])])))
            }
        }
    }
}

extension Configuration {
    /// Returns the changed configuration. Nil if the change is impossible.
    fileprivate func changed(by mutant: Mutant) -> Configuration? {
        PolicyUnderTest(self).changed(by: mutant).map { with($0.resources, $0.issuers) }
    }
}
