import AccessControl
import TestSupport
import TokenVerification

/// Random policies of every form.
struct RandomPolicies {
    /// Form of a requirement in a policy.
    enum Form: CaseIterable {
        case allScopes, anyScope, impliedScope, role, value, pattern, exclusion, absence, issuer, client, organization,
            organizationInPath
        case elementValue, elementExclusion, elementAbsence
        case contextClass, maxAge, alternatives, optional, required, hierarchy
    }

    /// Forms of the last generated policy.
    private(set) var forms: Set<Form> = []

    private static let scopes = ["read", "write", "audit", "eu", "us"]
    /// Scope that no rule names.
    static let implying = "everything"
    private static let (repository, type) = (ClaimPath(member: "repository"), ClaimPath(member: "type"))
    private static let repositories = [
        try? ClaimPattern("acme/*"), try? ClaimPattern("**/x*"), try? ClaimPattern("acme/**"),
    ]
    .compactMap(\.self)
    private static let grants = [
        try? ClaimPath("/grants/*/role", permitsElements: true), try? ClaimPath("grants.*.role", permitsElements: true),
    ].compactMap(\.self)
    static let types = [try? ClaimPattern("m*")].compactMap(\.self)

    /// - Parameter first: a form that the policy has.
    mutating func policy(with first: Form, _ random: inout SeededGenerator) -> AccessPolicy {
        forms = [first]
        let leaf = [.optional, .required, .hierarchy].contains(first) ? leaf(&random) : first
        var requirements = [requirement(leaf, depth: 0, &random)]
        for _ in 0..<Int.random(in: 0...2, using: &random) where Bool.random(using: &random) {
            requirements.append(requirement(self.leaf(&random), depth: 0, &random))
        }
        if first == .hierarchy { requirements.append(requirement(.allScopes, depth: 0, &random)) }
        var policy = AccessPolicy.requiring(requirements)
        if first == .optional || one(in: 5, &random) {
            policy = policy.madeOptional
            forms.insert(.optional)
        }
        if first == .required || one(in: 5, &random) {
            policy = policy.adding([requirement(self.leaf(&random), depth: 0, &random)])
            forms.insert(.required)
        }
        if first == .hierarchy || one(in: 5, &random) {
            let hierarchy = try? ScopeHierarchy([
                ("write", ["read", "audit"]), ("audit", ["eu"]), (Self.implying, Self.scopes),
            ])
            policy = hierarchy?.applied(to: policy) ?? policy
            forms.insert(.hierarchy)
        }
        return policy
    }

    private func one(in count: Int, _ random: inout SeededGenerator) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }

    private func leaf(_ random: inout SeededGenerator) -> Form {
        Form.allCases.filter { ![.optional, .required, .hierarchy].contains($0) }.randomElement(using: &random) ?? .role
    }

    private func choice<Element>(_ elements: [Element], _ random: inout SeededGenerator) -> [Element] {
        Array(elements.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
    }

    private mutating func requirement(_ form: Form, depth: Int, _ random: inout SeededGenerator) -> Requirement {
        forms.insert(form)
        switch form {
        case .allScopes, .optional, .required, .hierarchy: return .allScopes(choice(Self.scopes, &random))
        case .anyScope: return .anyScope(choice(Self.scopes, &random))
        case .impliedScope: return .scope("eu", orAnyOf: choice(Self.scopes, &random))
        case .role: return .anyRole(choice(["staff", "admin", "user"], &random))
        case .value:
            return .claim(ClaimPath(member: "department"), oneOf: choice([.string("sales"), .string("a")], &random))
        case .pattern:
            return .claimMatching(
                Self.repository, ClaimChoice(values: [.integer(7)], patterns: choice(Self.repositories, &random)))
        case .exclusion:
            let values = choice([ClaimScalar.string("guest"), .string("member"), .integer(3), .boolean(true)], &random)
            let patterns = Bool.random(using: &random) ? Self.repositories.prefix(1) : []
            return .claimOtherThan(Self.type, ClaimChoice(values: values, patterns: Array(patterns)))
        case .absence: return .noClaims(choice([Self.type, Self.repository, ClaimPath(member: "act")], &random))
        case .elementValue:
            return .claimMatching(
                choice(Self.grants, &random)[0],
                ClaimChoice(values: choice([.string("gold"), .string("silver"), .integer(7)], &random)))
        case .elementExclusion:
            let values = choice([ClaimScalar.string("gold"), .string("x"), .integer(7)], &random)
            return .claimOtherThan(choice(Self.grants, &random)[0], ClaimChoice(values: values))
        case .elementAbsence: return .noClaims([choice(Self.grants, &random)[0]])
        case .issuer: return .issuer(oneOf: choice(["main", "main", "partner"], &random))
        case .client: return .client(oneOf: choice(["app-1", "back-office"], &random))
        case .organization: return .organization(oneOf: choice(["o1", "o2"], &random))
        case .organizationInPath: return .organization(inPath: "org")
        case .contextClass: return .authenticationContext(oneOf: choice(["gold", "silver"], &random))
        case .maxAge: return .maxAge(.seconds([60, 300, 900].randomElement(using: &random) ?? 300))
        case .alternatives:
            var alternatives: [[Requirement]] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                var parts: [Requirement] = []
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    let form = leaf(&random)
                    parts.append(
                        requirement(depth > 1 && form == .alternatives ? .role : form, depth: depth + 1, &random))
                }
                alternatives.append(parts)
            }
            return .anyOf(alternatives)
        }
    }
}
