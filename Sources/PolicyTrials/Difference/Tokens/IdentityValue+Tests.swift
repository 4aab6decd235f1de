import Callers
import TokenVerification

/// Tests for tokens with which two files state different identities.
extension IdentityValue {
    /// Test for tokens that contain this part of the identity. Its alternatives are tried one after another.
    func present(in issuer: TrustedIssuer) -> TokenTest {
        switch self {
        case .subject: .any(issuer.subject.claims.map { .claim($0, .someText) })
        case .scopes:
            .first(
                issuer.scopeClaims,
                issuer.scopePrefix.isEmpty
                    ? .someWord(issuer.scopeSeparator)
                    : .word(.string(issuer.scopePrefix + "any"), issuer.scopeSeparator))
        case .client: .first(issuer.clientClaims, .someText)
        case .issuer: .always(true)
        case .tenant: issuer.realms == nil ? .first(issuer.tenantClaims, .someText) : .always(true)
        case .organization:
            .any(
                [.first(issuer.organizationClaims, .someText)]
                    + (issuer.organizationAudiencePrefix == nil ? [] : [.always(true)]))
        case .roles:
            .any(
                issuer.roleClaims.map { role in
                    switch role.form {
                    case .strings: .claim(role.path, .someWord(.space))
                    case .memberNames(let organizations): .claim(role.path, .someRole(grantedIn: organizations))
                    }
                })
        case .claim(let path): TokenTest.claim(path, .absent).negated
        case .chosen(let path, let choice): .claim(path, .held(choice))
        }
    }

    /// Test for tokens in which this part of the identity is the text, or contains it. Nil if its value is never taken
    /// from the token's text, as for the issuer.
    private func telling(_ text: String, of issuer: TrustedIssuer) -> TokenTest? {
        let value = ClaimTest.exact([.string(text)])
        let choice = ClaimChoice(values: [.string(text)])
        return switch self {
        case .subject: .first(issuer.subject.claims, value)
        case .scopes: .first(issuer.scopeClaims, .word(.string(issuer.scopePrefix + text), issuer.scopeSeparator))
        case .client: .first(issuer.clientClaims, value)
        case .issuer: nil
        case .tenant:
            issuer.realms.map { .exactly(ClaimPath(member: "iss"), [.string($0.issuer(of: text))]) }
                ?? .first(issuer.tenantClaims, value)
        case .organization: .first(issuer.organizationClaims, value)
        case .roles: .any(issuer.roleClaims.map { .claim($0.path, .held(choice)) })
        case .claim(let path), .chosen(let path, _): .claim(path, .held(choice))
        }
    }

    /// Claims that this part of the identity can be read from, in tokens of the issuer. Empty without an issuer.
    private func paths(in issuer: TrustedIssuer?) -> [ClaimPath] {
        guard let issuer else { return [] }
        return switch self {
        case .subject: issuer.subject.claims
        case .scopes: issuer.scopeClaims
        case .client: issuer.clientClaims
        case .issuer: [ClaimPath(member: "iss")]
        case .tenant: issuer.realms == nil ? issuer.tenantClaims : [ClaimPath(member: "iss")]
        case .organization: issuer.organizationClaims
        case .roles: issuer.roleClaims.map(\.path)
        case .claim(let path), .chosen(let path, _): [path]
        }
    }

    /// Tests for tokens of which the two files may forward different values. Each token found is judged afterwards,
    /// since not every one makes a difference.
    static func differing(
        _ old: IdentityValue?, _ oldIssuer: TrustedIssuer?, _ new: IdentityValue?, _ newIssuer: TrustedIssuer?,
        texts: [String]
    ) -> [TokenTest] {
        let hasOld = oldIssuer.flatMap { old?.present(in: $0) } ?? .always(false)
        let hasNew = newIssuer.flatMap { new?.present(in: $0) } ?? .always(false)
        let both = TokenTest.all([hasOld, hasNew])
        var tests: [TokenTest] = [.all([hasOld, hasNew.negated]), .all([hasNew, hasOld.negated]), both]
        // One value contains the text, the other does not.
        for text in texts {
            guard let before = oldIssuer.flatMap({ old?.telling(text, of: $0) }),
                let after = newIssuer.flatMap({ new?.telling(text, of: $0) })
            else { continue }
            tests += [.all([before, after.negated]), .all([after, before.negated])]
        }
        // The same claim can be forwarded as a text, as words, or as JSON.
        for path in (old?.paths(in: oldIssuer) ?? []) where (new?.paths(in: newIssuer) ?? []).contains(path) {
            let separators = Set([oldIssuer, newIssuer].compactMap { $0?.scopeSeparator } + [.space])
            tests.append(.all([both, .claim(path, .array)]))
            tests += WordSeparator.all.filter(separators.contains).map {
                .all([both, .claim(path, .separatedText($0))])
            }
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
