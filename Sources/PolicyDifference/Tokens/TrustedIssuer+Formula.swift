import JOSE
import TokenVerification
import TypedIndices

/// What an issuer's rules ask of its tokens, in the order of `TokenCheck`.
extension TrustedIssuer {
    /// - Parameter audiences: what `aud` may be.
    func formula(audiences: [String], of identity: IssuerIdentity) -> Formula {
        guard accepts(identity), let identifier = identifiers.first(where: { $0.matches(identity.identifier) }) else {
            return .always(false)
        }
        return .all([
            headerFormula, flowFormula(identifier), timesFormula, audienceFormula(audiences), kindFormula,
            clientFormula,
            subjectFormula, .all(claimChecks.map(\.rule.formula)),
            .claim(ClaimPath(member: "jti"), .textOrMissing), .claim(ClaimPath(member: "cnf"), .missing),
        ])
    }

    private var headerFormula: Formula {
        var parts: [Formula] = [.header(.algorithm(algorithms), holds: true)]
        if marksForeignTokensByNonce { parts.append(.header(.foreign, holds: false)) }
        if tokenType == .accessTokenJWT { parts.append(.header(.accessTokenType, holds: true)) }
        parts.append(.header(.keyID(denied: deniedKeys, allowsMissing: allowsMissingKeyID), holds: true))
        return .all(parts)
    }

    /// The user flow that its claims name is one whose keys vouch for it.
    private func flowFormula(_ identifier: IssuerIdentifier) -> Formula {
        guard case .policy(let rule) = keyBinding else { return .always(true) }
        let flows = rule.policies.indexed.filter { index, _ in identifier.policy.map { $0 == index } ?? true }
        return .any(flows.map { rule.formula(naming: $0.element) })
    }

    private var timesFormula: Formula { .times(.valid(times), holds: true) }

    private func audienceFormula(_ audiences: [String]) -> Formula {
        let path = ClaimPath(member: "aud")
        let named = Formula.claim(path, .addressed(audiences.map { .string($0) }))
        if case .client = audience { return .any([.claim(path, .noAudience), named]) }
        return named
    }

    private var kindFormula: Formula {
        var parts: [Formula] = [.claim(ClaimPath(member: "events"), .missing)]
        if case .claims(let rules) = tokenType { parts += rules.map(\.formula) }
        if let versions { parts.append(.claim(ClaimPath(member: "ver"), .exact(versions))) }
        return .all(parts)
    }

    private var clientFormula: Formula {
        clients.map { Formula.first(of: clientClaims, .exact($0.map { .string($0) })) } ?? .always(true)
    }

    private var subjectFormula: Formula {
        let parts = subject.claims.map { Formula.claim($0, .subject(longest: subject.longest)) }
        return .all(parts + (subject.isRequired ? [.any(subject.claims.map { .claim($0, .someText) })] : []))
    }
}

extension PolicyRule {
    /// Some of the claims name this flow, and those that do not are missing.
    fileprivate func formula(naming flow: String) -> Formula {
        let named = claims.map { Formula.any([.claim($0, .missing), .claim($0, .exact([.string(flow)]))]) }
        return .all(named + [.any(claims.map { .claim($0, .exact([.string(flow)])) })])
    }
}

extension Formula {
    /// The first of the claims that is there is so.
    static func first(of paths: [ClaimPath], _ test: ClaimTest) -> Formula {
        .any(
            paths.indices.map { index in
                // The test first: a token that is not to meet it needs no claim then.
                .all([.claim(paths[index], test)] + paths.prefix(index).map { .claim($0, .absent) })
            })
    }
}

extension ClaimRule {
    /// The same as tests of single claims.
    var formula: Formula {
        switch self {
        case .some(let paths): .any(paths.map { .claim($0, .content) })
        case .oneOf(let path, let values): .claim(path, .held(ClaimChoice(values: values)))
        case .exactly(let path, let values): .claim(path, .exact(values))
        case .among(let path, let choice): .claim(path, .held(choice))
        case .otherThan(let path, let choice): .claim(path, .excluded(choice))
        case .missing(let paths): .all(paths.map { .claim($0, .missing) })
        case .noneOf(let path, let values): Formula.claim(path, .held(ClaimChoice(values: values))).negated
        case .pathBelow(let path, let start): .claim(path, .below(start))
        case .absent(let paths): .all(paths.map { .claim($0, .absent) })
        case .different(let one, let other): .same(ClaimLocation(one), ClaimLocation(other), holds: false)
        case .notEnding(let path, let ending): Formula.claim(path, .ending(ending)).negated
        case .granted(let roles, let other, let organizations):
            .any([
                .claim(other, .exact(organizations.map { .string($0) })),
                .claim(roles, .someRole(grantedIn: organizations)),
            ])
        case .policy(let rule): .any(rule.policies.map { rule.formula(naming: $0) })
        }
    }
}
