import Callers
import TokenVerification

/// Tests for tokens that differ in a part of the identity.
extension IdentityValue {
    /// Tokens that state it; all that matter are tried, one after another.
    func present(in issuer: TrustedIssuer) -> TokenTest {
        switch self {
        case .subject: .any(issuer.subject.claims.map { .claim($0, .someText) })
        case .scopes:
            .first(
                issuer.scopeClaims,
                issuer.scopePrefix.isEmpty ? .someWord : .word(.string(issuer.scopePrefix + "any")))
        case .client: .first(issuer.clientClaims, .someText)
        case .issuer: .always(true)
        case .tenant: .first(issuer.tenantClaims, .someText)
        case .organization:
            .any(
                [.first(issuer.organizationClaims, .someText)]
                    + (issuer.organizationAudiencePrefix == nil ? [] : [.always(true)]))
        case .roles:
            .any(
                issuer.roleClaims.map { role in
                    switch role.form {
                    case .strings: .claim(role.path, .someWord)
                    case .memberNames(let organizations): .claim(role.path, .someRole(grantedIn: organizations))
                    }
                })
        case .claim(let path): TokenTest.claim(path, .absent).negated
        case .chosen(let path, let choice): .claim(path, .held(choice))
        }
    }

    /// Test for tokens whose value of the identity is this text, or contains it. Nil if the value never comes from the
    /// token's own text.
    private func telling(_ text: String, of issuer: TrustedIssuer) -> TokenTest? {
        let value = ClaimTest.exact([.string(text)])
        let choice = ClaimChoice(values: [.string(text)])
        return switch self {
        case .subject: .first(issuer.subject.claims, value)
        case .scopes: .first(issuer.scopeClaims, .word(.string(issuer.scopePrefix + text)))
        case .client: .first(issuer.clientClaims, value)
        case .issuer: nil
        case .tenant: .first(issuer.tenantClaims, value)
        case .organization: .first(issuer.organizationClaims, value)
        case .roles: .any(issuer.roleClaims.map { .claim($0.path, .held(choice)) })
        case .claim(let path), .chosen(let path, _): .claim(path, .held(choice))
        }
    }

    /// The claims that it can be taken from.
    private func paths(in issuer: TrustedIssuer?) -> [ClaimPath] {
        guard let issuer else { return [] }
        return switch self {
        case .subject: issuer.subject.claims
        case .scopes: issuer.scopeClaims
        case .client: issuer.clientClaims
        case .issuer: [ClaimPath(member: "iss")]
        case .tenant: issuer.tenantClaims
        case .organization: issuer.organizationClaims
        case .roles: issuer.roleClaims.map(\.path)
        case .claim(let path), .chosen(let path, _): [path]
        }
    }

    /// Tokens of which two values can tell something else; each is judged, since not every one of them is one.
    static func differing(
        _ old: IdentityValue?, _ oldIssuer: TrustedIssuer?, _ new: IdentityValue?, _ newIssuer: TrustedIssuer?,
        texts: [String]
    ) -> [TokenTest] {
        let hasOld = oldIssuer.flatMap { old?.present(in: $0) } ?? .always(false)
        let hasNew = newIssuer.flatMap { new?.present(in: $0) } ?? .always(false)
        let both = TokenTest.all([hasOld, hasNew])
        var tests: [TokenTest] = [.all([hasOld, hasNew.negated]), .all([hasNew, hasOld.negated]), both]
        // One tells a text that the other does not.
        for text in texts {
            guard let before = oldIssuer.flatMap({ old?.telling(text, of: $0) }),
                let after = newIssuer.flatMap({ new?.telling(text, of: $0) })
            else { continue }
            tests += [.all([before, after.negated]), .all([after, before.negated])]
        }
        // One claim can be told as a text, as words, or as JSON.
        for path in (old?.paths(in: oldIssuer) ?? []) where (new?.paths(in: newIssuer) ?? []).contains(path) {
            tests += [.all([both, .claim(path, .array)]), .all([both, .claim(path, .spacedText)])]
        }
        switch (old, new) {
        case (.chosen(let path, let choice), .chosen(let other, let otherChoice)) where path == other:
            tests.append(.claim(path, .heldBeside(choice, not: otherChoice)))
            tests.append(.claim(path, .heldBeside(otherChoice, not: choice)))
        case (.chosen(let path, let choice), .claim(let other)), (.claim(let other), .chosen(let path, let choice)):
            if path == other { tests.append(.claim(path, .heldBeside(nil, not: choice))) }
        default: break
        }
        return tests
    }
}
