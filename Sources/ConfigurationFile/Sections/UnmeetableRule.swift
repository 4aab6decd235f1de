import AccessControl
import IssuerProfiles
import TokenVerification

/// Warns of what a rule asks for and no token of the resource's issuers can have, whoever its user is.
///
/// Every requirement of a rule must hold, so one such is enough to close it. An issuer with errors is thought to have everything.
enum UnmeetableRule {
    static func judge(_ policy: AccessPolicy, _ rule: Value.Member, of issuers: [NamedIssuer]) {
        guard case .token(let requirements) = policy else { return }
        var told: Set<Lack> = []
        for requirement in requirements {
            guard let lack = Lack(requirement), !issuers.contains(where: lack.spares), told.insert(lack).inserted else { continue }
            let names = issuers.map { "`\($0.name)`" }.joined(separator: " and ")
            rule.warnKey("no token meets this rule: those of \(names) \(lack.text)", hint: lack.hint(for: issuers))
        }
    }

    /// What an issuer's tokens may lack altogether.
    private enum Lack {
        case scopes, roles, client, organization, contextClass, authenticationTime

        init?(_ requirement: Requirement) {
            switch requirement {
            case .allScopes, .anyScope: self = .scopes
            case .anyRole: self = .roles
            case .client: self = .client
            case .organization: self = .organization
            case .authenticationContext: self = .contextClass
            case .maxAge: self = .authenticationTime
            case .claim: return nil
            }
        }

        /// Whether the issuer's tokens can have it.
        func spares(_ issuer: NamedIssuer) -> Bool {
            guard let trusted = issuer.configured?.trusted else { return true }
            switch self {
            case .scopes: return !trusted.scopeClaims.isEmpty
            case .roles: return !trusted.roleClaims.isEmpty
            case .client: return !trusted.clientClaims.isEmpty
            case .organization: return !trusted.organizationClaims.isEmpty || trusted.organizationAudiencePrefix != nil
            case .contextClass: return issuer.profiled?.hasContextClass ?? true
            case .authenticationTime: return issuer.profiled?.hasAuthenticationTime ?? true
            }
        }

        var text: String {
            switch self {
            case .scopes: "have no scopes"
            case .roles: "have no roles"
            case .client: "name no client"
            case .organization: "name no organisation"
            case .contextClass: "have no `acr`"
            case .authenticationTime: "have no `auth_time`"
            }
        }

        func hint(for issuers: [NamedIssuer]) -> String {
            switch self {
            case .scopes: "ask for roles or claims instead"
            case .roles: issuers.lazy.compactMap { $0.profiled?.roleHint }.first ?? "ask for a claim instead"
            case .client, .organization: "ask for a claim instead"
            case .contextClass: "leave `acr` out, or ask for a claim instead"
            case .authenticationTime: "leave `max_age` out; `max_lifetime` on the issuer bounds how old a token may be"
            }
        }
    }
}
