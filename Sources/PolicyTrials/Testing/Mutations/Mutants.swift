import AccessControl
import ConfigurationFile
import RequestAuthorization
import TokenVerification

/// Makes all mutants of a configuration, in the order of its file: issuers, then each resource and its rules.
struct Mutants {
    let configuration: Configuration
    let seen: SeenTokens
    /// Time of tests that state none.
    let now: NumericDate

    var all: [Mutant] {
        // No test can notice a change of an issuer whose tokens no resource accepts.
        let used = Set(
            configuration.resources.flatMap { $0.terms.readsTokens(at: now) ? $0.terms.issuers.map(\.issuer) : [] })
        let issuers = configuration.issuers.indexed.flatMap { index, issuer in
            used.contains(index) ? mutants(of: index, issuer.trusted, at: issuer.place.place) : []
        }
        return issuers + configuration.resources.indexed.flatMap(mutants)
    }

    // MARK: Issuers

    private func mutants(of index: IssuerIndex, _ issuer: TrustedIssuer, at place: FilePlace) -> [Mutant] {
        var mutants: [Mutant] = []
        func add(_ text: String, isDrop: Bool = false, _ change: (inout TrustedIssuer) -> Void) {
            var changed = issuer
            change(&changed)
            mutants.append(Mutant("\(issuer.name): \(text)", at: place, isDrop: isDrop, .issuer(index, changed)))
        }
        let strangers = seen.issuers.filter { text in
            !configuration.issuers.contains { $0.trusted.identifiers.contains { $0.matches(text) } }
        }
        add("with any iss") {
            $0.identifiers += strangers.map { IssuerIdentifier($0) }
            $0.signerRule?.issuers += strangers
        }
        if case .fixed(let audiences) = issuer.audience {
            add("with any audience") { $0.audience = .fixed(audiences + seen.audiences) }
        }
        if !issuer.clientsWithoutAudience.isEmpty {
            add("without aud for any client") { $0.clientsWithoutAudience += seen.clients(of: issuer) }
        }
        if let rule = issuer.signerRule {
            add("with any signer") { $0.signerRule?.signers = rule.signers + seen.signers }
        }
        if issuer.clients != nil { add("without clients") { $0.clients = nil } }
        // Only requirements in the file, not the profile's own checks.
        for (number, check) in issuer.claimChecks.enumerated() where check.rejection == .claimNotAllowed {
            add("without require\(Self.subject(of: check))") { $0.claimChecks = issuer.claimChecks.without(number) }
        }
        return mutants
    }

    private static func subject(of check: IssuerCheck) -> String {
        guard case .claim(let path, .held(let choice), holds: true) = check.test, choice.patterns.isEmpty else {
            return ""
        }
        return " of claim \(path)"
    }

    // MARK: Resources

    private func mutants(of index: ResourceIndex, _ configured: ConfiguredResource) -> [Mutant] {
        let (resource, place) = (configured.terms, configured.place)
        let rules = zip(resource.policies.indexed, configured.rules).flatMap { entry, rule in
            mutants(of: index, resource, entry.index, entry.element, rule)
        }
        return acceptanceMutants(of: index, resource, at: place) + modeMutants(of: index, resource, at: place)
            + maintenanceMutants(of: index, resource, at: place) + passingMutants(of: index, resource, at: place)
            + rules
    }

    /// The mutant without the resource's maintenance. Empty if it has none, or it is over.
    private func maintenanceMutants(of index: ResourceIndex, _ resource: ProtectedResource, at place: FilePlace)
        -> [Mutant]
    {
        guard resource.isClosed(nil, at: now) else { return [] }
        return [Mutant("\(resource.identifier): without maintenance", at: place, .withoutMaintenance(index, nil))]
    }

    /// The mutant that passes no `Authorization`. Empty if the resource passes none, or forwards no request.
    private func passingMutants(of index: ResourceIndex, _ resource: ProtectedResource, at place: FilePlace) -> [Mutant]
    {
        guard resource.passesAuthorization,
            resource.policies.indexed.contains(where: { !resource.isClosed($0.index, at: now) })
        else { return [] }
        return [Mutant("\(resource.identifier): without `authorization: pass`", at: place, .withoutPassing(index))]
    }

    /// Mutants of the resource's `mode`, which applies to requests without a rule.
    ///
    /// Only a mode other than the default has one: a file need not test the usual rejection.
    private func modeMutants(of index: ResourceIndex, _ resource: ProtectedResource, at place: FilePlace) -> [Mutant] {
        let hasRuleForAll = resource.routes.routes.contains {
            $0.methods == .any && $0.path.coversRest && $0.path.segmentCount == 0
        }
        guard resource.mode != .enforce, !hasRuleForAll, !resource.isClosed(nil, at: now) else { return [] }
        let text = "\(resource.identifier): requests without a rule refused"
        return [Mutant(text, at: place, .mode(index, nil, .enforce))]
    }

    private func acceptanceMutants(of index: ResourceIndex, _ resource: ProtectedResource, at place: FilePlace)
        -> [Mutant]
    {
        guard resource.readsTokens(at: now) else { return [] }
        func mutant(_ text: String, _ issuers: [AcceptedIssuer]) -> Mutant {
            Mutant("\(resource.identifier): \(text)", at: place, .acceptance(index, issuers))
        }
        let audiences = resource.issuers.enumerated().compactMap { number, accepted -> Mutant? in
            guard let issuer = configuration.issuers[accepted.issuer]?.trusted, !issuer.hasFixedAudience else {
                return nil
            }
            var issuers = resource.issuers
            issuers[number] = AcceptedIssuer(
                issuer: accepted.issuer, audiences: accepted.audiences + seen.audiences,
                scopeTemplate: accepted.scopeTemplate)
            return mutant("with any audience in tokens of \(issuer.name)", issuers)
        }
        let others = configuration.issuers.indexed.filter { other in
            !resource.issuers.contains { $0.issuer == other.index }
        }
        let strangers = others.map { other in
            let all = resource.issuers.flatMap(\.audiences) + seen.audiences
            return mutant(
                "with tokens of \(other.element.trusted.name)",
                resource.issuers + [AcceptedIssuer(issuer: other.index, audiences: all)])
        }
        return audiences + strangers
    }

    // MARK: Rules

    private func mutants(
        of index: ResourceIndex, _ resource: ProtectedResource, _ rule: RuleIndex, _ policy: AccessPolicy,
        _ written: ConfiguredResource.WrittenRule
    ) -> [Mutant] {
        let (name, place) = (written.name, written.place)
        // Under the resource's maintenance every request is refused alike, whatever its rule.
        guard !resource.isClosed(nil, at: now) else { return [] }
        var mutants: [Mutant] = []
        // No request of a closed rule is forwarded, whatever it asks for.
        let isClosed = resource.isClosed(rule, at: now)
        for weaker in isClosed ? [] : weakenings(of: policy, resource) {
            let change = Mutant.Change.policy(index, rule, weaker.policy)
            mutants.append(Mutant("\(name): \(weaker.text)", at: place, isDrop: weaker.isDrop, change))
        }
        if resource.routes.routes[rule].map({ $0.methods != .any }) ?? false {
            mutants.append(Mutant("\(name): for ANY method", at: place, .anyMethod(index, rule)))
        }
        mutants.append(Mutant("\(name): deleted", at: place, .deletion(index, rule)))
        if isClosed {
            mutants.append(Mutant("\(name): without maintenance", at: place, .withoutMaintenance(index, rule)))
        }
        guard policy != .public, !isClosed else { return mutants }
        let isEnforced = resource.mode(of: rule) == .enforce
        let mode = isEnforced ? EnforcementMode.observe(until: .latest) : .enforce
        mutants.append(
            Mutant("\(name): \(isEnforced ? "only observed" : "enforced")", at: place, .mode(index, rule, mode)))
        return mutants
    }

    private struct WeakerPolicy {
        let text: String
        let policy: AccessPolicy
        var isDrop = false
    }

    /// Weaker versions of a policy. If two are the same policy, the one with the more specific description is kept.
    private func weakenings(of policy: AccessPolicy, _ resource: ProtectedResource) -> [WeakerPolicy] {
        guard let requirements = policy.requirements else { return [] }
        func remade(_ requirements: [Requirement]) -> AccessPolicy {
            policy.permitsAnonymous ? AccessPolicy.requiring(requirements).madeOptional : .requiring(requirements)
        }
        var all: [WeakerPolicy] = []
        for (index, requirement) in requirements.enumerated() {
            let rest = requirements.without(index)
            guard !requirement.isImplied(by: rest) else { continue }
            for weakening in weakenings(of: requirement, resource) {
                let policy = remade(rest + [weakening.requirement].compactMap(\.self))
                all.append(WeakerPolicy(text: weakening.text, policy: policy, isDrop: weakening.isDrop))
            }
        }
        all.append(WeakerPolicy(text: "public", policy: .public))
        if !requirements.isEmpty { all.append(WeakerPolicy(text: "authenticated", policy: remade([]))) }
        var kept: [WeakerPolicy] = []
        for weaker in all where !kept.contains(where: { $0.policy == weaker.policy }) { kept.append(weaker) }
        return kept
    }

    private func weakenings(of requirement: Requirement, _ resource: ProtectedResource) -> [Weakening] {
        guard let names = requirement.names(of: .issuer) else { return requirement.weakenings(seen) }
        let accepted = resource.issuers.compactMap { configuration.issuers[$0.issuer]?.trusted.name }
        // Removing it changes nothing if the resource accepts no other issuers.
        return accepted.allSatisfy { names.contains($0) } ? [] : requirement.weakenings(seen)
    }
}

extension ProtectedResource {
    /// True if a maintenance refuses all requests of a rule, so that no test of that time can show what it asks for.
    ///
    /// - Parameter rule: index of the rule. Nil for requests without a rule.
    func isClosed(_ rule: RuleIndex?, at now: NumericDate) -> Bool { maintenance(of: rule, at: now) != nil }

    /// True if the token of some request is looked at. A public or closed rule looks at none.
    fileprivate func readsTokens(at now: NumericDate) -> Bool {
        policies.indexed.contains { $0.element != .public && !isClosed($0.index, at: now) }
    }
}

extension TrustedIssuer {
    fileprivate var hasFixedAudience: Bool {
        switch audience {
        case .fixed, .signer: true
        case .resource, .client: false
        }
    }
}
