import AccessControl
import IssuerProfiles
import RequestAuthorization
import TokenVerification

/// Warns of probable mistakes in a file without errors, such as rules that no token can meet, and names that are easily
/// confused.
struct ResourceLints {
    let issuers: NamedIssuers
    let resources: IndexedBy<ResourceIndex, ReadResource>

    func judge() {
        for resource in resources {
            for rule in resource.rules.rules { judge(rule, of: resource.accepted) }
            UnaskedScopes.judge(resource)
        }
        warnOfSharedScopes()
        warnOfUnusedIssuers()
    }

    // MARK: Rules

    private func judge(_ rule: ResourceRules.Rule, of accepted: [AcceptanceReader.Accepted]) {
        let issuers = accepted.map(\.issuer)
        guard let policy = rule.policy, !issuers.isEmpty else { return }
        UnmeetableRule.judge(policy, rule.member, of: issuers)
        FullScopeName.judge(policy, rule.member, of: accepted)
        warnOfDisplayClaims(policy, rule, issuers)
        warnOfExclusionsAlone(policy, rule)
        if policy.asksForRole, let issuer = issuers.first(where: { $0.profiled?.roleWarning != nil }) {
            rule.member.warnKey(
                "role names in tokens of `\(issuer.name)` are ambiguous", hint: issuer.profiled?.roleWarning)
        }
    }

    private func warnOfDisplayClaims(_ policy: AccessPolicy, _ rule: ResourceRules.Rule, _ issuers: [NamedIssuer]) {
        for path in policy.parts.compactMap(\.comparedClaim) {
            guard let issuer = issuers.first(where: { $0.displays(path) }) else { continue }
            rule.member.warnKey(
                "`\(path)` is a display claim: users of `\(issuer.name)` can choose it themselves",
                hint: "decide by scopes, roles, or a claim that only the issuer sets")
        }
    }

    /// Warns of rules that only exclude tokens. They say little about the tokens they permit.
    private func warnOfExclusionsAlone(_ policy: AccessPolicy, _ rule: ResourceRules.Rule) {
        guard policy.parts.contains(where: \.isExclusion), policy.requirements?.contains(where: \.isPositive) == false
        else { return }
        rule.member.warnKey(
            "`not` and `absent` open this rule to every other token, whoever it is for",
            hint: "ask for a scope, a role or a value of a claim besides")
    }

    // MARK: Scopes of several resources

    private struct ScopeOfIssuer: Hashable {
        let scope: String
        let issuer: IssuerIndex
    }

    private struct Opening {
        let resource: Value.Member
        let audiences: Set<[UInt8]>
    }

    /// Warns of scopes that several resources use. `read` of one API is not `read` of another, and only the audience
    /// tells them apart.
    private func warnOfSharedScopes() {
        var known: [ScopeOfIssuer: [Opening]] = [:]
        for resource in resources {
            for (scope, rule) in firstUses(in: resource) {
                let accepted = resource.accepted.first { $0.issuer.index == scope.issuer }
                let opening = Opening(
                    resource: resource.member, audiences: Set((accepted?.audiences ?? []).map { Array($0.text.utf8) }))
                if let first = known[scope]?.first(where: { $0.audiences.isDisjoint(with: opening.audiences) }) {
                    Self.warn(rule, scope.scope, opens: first.resource)
                }
                known[scope, default: []].append(opening)
            }
        }
    }

    private static func warn(_ rule: ResourceRules.Rule, _ scope: String, opens resource: Value.Member) {
        rule.member.warnKey(
            "`\(scope)` also opens `\(resource.key)` at \(resource.value.keyPosition), under another audience",
            hint: "tokens are told apart by audience only: a scope such as `orders:\(scope)` cannot be mistaken")
    }

    /// Scopes that are a bare word, each with the first rule that asks for it. A scope with a prefix shows its
    /// resource, so it is not included.
    private func firstUses(in resource: ReadResource) -> [(ScopeOfIssuer, ResourceRules.Rule)] {
        var seen: Set<ScopeOfIssuer> = []
        return resource.rules.rules.flatMap { rule -> [(ScopeOfIssuer, ResourceRules.Rule)] in
            let words = (rule.policy?.knownScopes ?? []).filter { scope in !scope.contains { ":./".contains($0) } }
            let scopes = words.flatMap { word in
                resource.accepted.map { ScopeOfIssuer(scope: word, issuer: $0.issuer.index) }
            }
            return scopes.filter { seen.insert($0).inserted }.map { ($0, rule) }
        }
    }

    // MARK: Issuers

    private func warnOfUnusedIssuers() {
        let used = Set(resources.flatMap { $0.accepted.map(\.issuer.index) })
        for issuer in issuers.all where !used.contains(issuer.index) {
            issuer.member.warnKey(
                "no resource takes tokens of this issuer", hint: "name it under the `issuers` of a resource")
        }
    }
}

extension NamedIssuer {
    /// True if the claim is only for display. It may be written as a name or as a JSON Pointer.
    fileprivate func displays(_ path: ClaimPath) -> Bool {
        let name = path.description
        let displayClaims = profiled?.displayClaims ?? []
        return displayClaims.contains(name) || displayClaims.contains { "/" + $0 == name }
    }
}

extension Requirement {
    /// Claim whose value is compared. Nil for other requirements.
    fileprivate var comparedClaim: ClaimPath? {
        guard case .claim(let path, let test)? = facts.first, test != .missing else { return nil }
        return path
    }

    fileprivate var isExclusion: Bool {
        switch facts.first {
        case .claim(_, .excluded), .claim(_, .missing): true
        default: false
        }
    }

    /// True if every token that meets the requirement has something that its issuer granted.
    fileprivate var isPositive: Bool {
        switch self {
        case .all, .any, .organization: !isExclusion && attribute != .issuer
        case .maxAge: false
        case .anyOf(let alternatives): alternatives.allSatisfy { $0.contains(where: \.isPositive) }
        }
    }
}
