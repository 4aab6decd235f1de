import AccessControl
import IssuerProfiles
import TokenVerification

/// Warns of requirements that no token of the resource's issuers can meet.
///
/// All requirements of a rule must hold, so one of these closes the rule. An issuer with errors is assumed to meet
/// everything.
enum UnmeetableRule {
    static func judge(_ policy: AccessPolicy, _ rule: Value.Member, of issuers: [NamedIssuer]) {
        var told: Set<Lack> = []
        let requirements = policy.requirements ?? []
        let eligible = self.issuers(issuers, eligibleFor: requirements)
        for requirement in requirements {
            guard let lack = lack(of: requirement, eligible), told.insert(lack).inserted else { continue }
            let names = eligible.map { "`\($0.name)`" }.joined(separator: " and ")
            rule.warnKey("no token meets this rule: those of \(names) \(lack.text)", hint: lack.hint(for: eligible))
        }
    }

    /// Property that a requirement needs and the tokens of all these issuers lack. Alternatives lack something only if
    /// each of them does; the result is then the lack of the first. Nil if nothing is lacking.
    private static func lack(of requirement: Requirement, _ issuers: [NamedIssuer]) -> Lack? {
        guard case .anyOf(let alternatives) = requirement else {
            return Lack(requirement).flatMap { lack in issuers.contains(where: lack.spares) ? nil : lack }
        }
        let lacks = alternatives.map { parts in
            let eligible = self.issuers(issuers, eligibleFor: parts)
            return parts.lazy.compactMap { lack(of: $0, eligible) }.first
        }
        return lacks.contains(nil) ? nil : lacks.first ?? nil
    }

    /// Issuers that the requirements permit. All of them if none is permitted, because the rule is then reported.
    private static func issuers(_ issuers: [NamedIssuer], eligibleFor requirements: [Requirement]) -> [NamedIssuer] {
        let bound = requirements.reduce(issuers) { left, requirement in
            guard let names = requirement.names(of: .issuer) else { return left }
            return left.filter { issuer in names.contains { $0.utf8.elementsEqual(issuer.name.utf8) } }
        }
        return bound.isEmpty ? issuers : bound
    }

    /// Property that all tokens of an issuer may lack.
    private enum Lack: Hashable {
        case issuer([String])
        case names(TokenAttribute)
        case authenticationTime

        init?(_ requirement: Requirement) {
            if let names = requirement.names(of: .issuer) {
                self = .issuer(names)
            } else if let attribute = requirement.attribute {
                self = .names(attribute)
            } else if case .maxAge = requirement {
                self = .authenticationTime
            } else {
                return nil
            }
        }

        /// True if tokens of the issuer can have the property.
        func spares(_ issuer: NamedIssuer) -> Bool {
            if case .issuer(let names) = self { return names.contains { $0.utf8.elementsEqual(issuer.name.utf8) } }
            guard let trusted = issuer.configured?.trusted else { return true }
            switch self {
            case .names(.contextClass): return issuer.profiled?.hasContextClass ?? true
            case .names(.organization) where trusted.organizationAudiencePrefix != nil: return true
            case .names(let attribute): return !attribute.paths(of: trusted).isEmpty
            case .issuer: return true
            case .authenticationTime: return issuer.profiled?.hasAuthenticationTime ?? true
            }
        }

        var text: String {
            switch self {
            case .issuer(let names): "are not those of \(names.map { "`\($0)`" }.joined(separator: " or "))"
            case .names(.client): "name no client"
            case .names(.organization): "name no organization"
            case .names(.contextClass): "have no `acr`"
            case .names(let attribute): "have no \(attribute.text)s"
            case .authenticationTime: "have no `auth_time`"
            }
        }

        func hint(for issuers: [NamedIssuer]) -> String {
            switch self {
            case .issuer: "name that issuer under the `issuers` of the resource"
            case .names(.scope): "ask for roles or claims instead"
            case .names(.role): issuers.lazy.compactMap { $0.profiled?.roleHint }.first ?? "ask for a claim instead"
            case .names(.contextClass): "leave `acr` out, or ask for a claim instead"
            case .names: "ask for a claim instead"
            case .authenticationTime: "leave `max_age` out; `max_lifetime` on the issuer bounds how old a token may be"
            }
        }
    }
}
