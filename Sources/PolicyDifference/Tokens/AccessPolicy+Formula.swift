import AccessControl
import TokenVerification

/// What is known of a request and of its token's issuer when a policy is taken apart.
struct FormulaContext {
    let issuer: TrustedIssuer
    /// The decoded segments that the rule's pattern names.
    let pathParameters: [String: String]
}

extension AccessPolicy {
    /// What it asks of tokens that are good; it must look at some.
    func formula(in context: FormulaContext) -> Formula {
        let requirements = requirements ?? []
        let met = Formula.all(requirements.map { $0.formula(in: context) })
        guard context.issuer.organizationUse == .onlyWhereAsked, !asksForOrganization else { return met }
        // Such a token opens only rules that ask for an organisation, by a requirement that it meets.
        let isForNone = Formula.all(context.issuer.organizationClaims.map { .claim($0, .absent) })
        guard mentionsOrganization else { return .all([met, isForNone]) }
        return .all([met, .any([isForNone] + requirements.map { $0.naming(in: context) })])
    }
}

extension Requirement {
    func formula(in context: FormulaContext) -> Formula {
        let issuer = context.issuer
        return switch self {
        case .allScopes(let scopes): .all(scopes.map(issuer.having))
        case .anyScope(let scopes): .any(scopes.map(issuer.having))
        case .scope(let scope, let others): .any(([scope] + others).map(issuer.having))
        case .anyRole(let roles): .any(issuer.roleClaims.map { $0.formula(naming: roles) })
        case .claim(let path, let values): .claim(path, .held(ClaimChoice(values: values)))
        case .claimMatching(let path, let choice): .claim(path, .held(choice))
        case .claimOtherThan(let path, let choice): .claim(path, .excluded(choice))
        case .noClaims(let paths): .all(paths.map { .claim($0, .missing) })
        case .issuer(let names): .always(names.contains { $0.utf8.elementsEqual(issuer.name.utf8) })
        case .client(let clients): .first(of: issuer.clientClaims, .exact(clients.map { .string($0) }))
        case .organization(let match): issuer.isFor(match.names(context.pathParameters))
        case .authenticationContext(let classes):
            .claim(issuer.contextClassClaim, .held(ClaimChoice(values: classes.map { .string($0) })))
        case .maxAge(let limit): .times(.signedIn(within: limit.inSeconds, Leeway(issuer.leeway)), holds: true)
        case .anyOf(let alternatives): .any(alternatives.map { .all($0.map { $0.formula(in: context) }) })
        }
    }

    /// That the token is for an organisation which is named here, among all that it meets.
    fileprivate func naming(in context: FormulaContext) -> Formula {
        switch self {
        case .organization: formula(in: context)
        case .anyOf(let alternatives):
            .any(
                alternatives.map { parts in
                    .all(parts.map { $0.formula(in: context) } + [.any(parts.map { $0.naming(in: context) })])
                })
        default: .always(false)
        }
    }
}

extension OrganizationMatch {
    fileprivate func names(_ parameters: [String: String]) -> [String] {
        switch self {
        case .oneOf(let names): names
        case .pathParameter(let name): parameters[name].map { [$0] } ?? []
        }
    }
}

extension TrustedIssuer {
    fileprivate func having(_ scope: String) -> Formula {
        .first(of: scopeClaims, .word(.string(scopePrefix + scope)))
    }

    fileprivate func isFor(_ organizations: [String]) -> Formula {
        let claimed = Formula.first(of: organizationClaims, .exact(organizations.map { .string($0) }))
        guard let prefix = organizationAudiencePrefix else { return claimed }
        let audience = Formula.claim(ClaimPath(member: "aud"), .exact(organizations.map { .string(prefix + $0) }))
        return .any([claimed, .all(organizationClaims.map { .claim($0, .absent) } + [audience])])
    }
}

extension RoleClaim {
    fileprivate func formula(naming roles: [String]) -> Formula {
        switch form {
        case .strings: .claim(path, .held(ClaimChoice(values: roles.map { .string($0) })))
        case .memberNames(let organizations):
            .any(roles.map { .claim(path, .role(.string($0), grantedIn: organizations)) })
        }
    }
}
