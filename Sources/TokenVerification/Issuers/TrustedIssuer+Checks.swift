/// Checks that an issuer's rules require. The verifier applies them to tokens, and `bearward diff` constructs tokens
/// from them.
extension TrustedIssuer {
    /// Rules about the times of the issuer's tokens.
    public var times: TimeRules {
        TimeRules(
            leeway: Leeway(leeway), maxLifetime: maxLifetime, maxAuthenticationAge: maxAuthenticationAge,
            needsAuthenticationTime: requiresAuthenticationTime)
    }

    /// Longest time for which a token issued before a given moment can still be used after that moment. The leeway
    /// counts twice: the clocks may differ when the token is issued, and again when it is used.
    ///
    /// - Parameter usual: the lifetime that is assumed if the issuer has no bound.
    public func longestUse(ofTokensFor usual: Duration) -> Duration { (maxLifetime ?? usual) + leeway + leeway }

    /// Checks of the header, in their order.
    var headerChecks: [IssuerCheck] {
        var checks: [IssuerCheck] = []
        if marksForeignTokensByNonce {
            checks.append(IssuerCheck(.header(.nonce, holds: false), else: .foreignResource))
        }
        if tokenType == .accessTokenJWT {
            checks.append(IssuerCheck(.header(.accessTokenType, holds: true), else: .typeMismatch))
        }
        if !allowsMissingKeyID { checks.append(IssuerCheck(.header(.keyID, holds: true), else: .unknownKeyID)) }
        checks.append(IssuerCheck(.header(.algorithm(algorithms), holds: true), else: .algorithmNotAllowed))
        return checks + (signerRule?.checks(clients: clients) ?? [])
    }

    /// Test of `aud`. With ``AudienceRule/signer`` every token passes. With ``AudienceRule/client`` a token without
    /// `aud` passes, and so does one of ``clientsWithoutAudience``. A token that names another audience was made for
    /// that audience, and fails.
    ///
    /// - Parameter audiences: accepted values of `aud`, see ``audiences(naming:)``.
    func audienceTest(_ audiences: [String]) -> TokenTest {
        if case .signer = audience { return .always(true) }
        let named = TokenTest.claim(.audience, .addressed(audiences.map { .string($0) }))
        if case .client = audience { return .any([.claim(.audience, .noAudience), named]) }
        guard audience == .resource, !clientsWithoutAudience.isEmpty else { return named }
        return .any([named, .all([.claim(.audience, .noAudience), clientTest(clientsWithoutAudience)])])
    }

    /// Checks that the token is an access token, in an accepted version.
    ///
    /// A security event token, such as a logout token, reports an event and grants nothing (RFC 8417 §2.2).
    var kindChecks: [IssuerCheck] {
        var checks = [IssuerCheck(.claim(ClaimPath(member: "events"), .missing), else: .notAccessToken)]
        if case .claims(let tests) = tokenType { checks += tests.map { IssuerCheck($0, else: .notAccessToken) } }
        guard let versions else { return checks }
        return checks + [IssuerCheck(.claim(ClaimPath(member: "ver"), .exact(versions)), else: .versionNotAllowed)]
    }

    /// Check of the client that the token was issued to. Empty if every client is accepted, or if the header names it.
    var clientChecks: [IssuerCheck] {
        guard signerRule == nil else { return [] }
        return clients.map { [IssuerCheck(clientTest($0), else: .clientNotAllowed)] } ?? []
    }

    private func clientTest(_ clients: [String]) -> TokenTest {
        .first(clientClaims, .identifier(clients.map { .string($0) }))
    }

    /// Check of `jti`.
    static let tokenIDChecks = [
        IssuerCheck(.claim(ClaimPath(member: "jti"), .identifierOrAbsent), else: .claimInvalid)
    ]

    /// Check that the token is not bound to a key of its holder. A bound token is meant to be useless to anyone who
    /// copies it, so it must not work as a plain bearer token. The content of `cnf` does not matter: an unknown kind of
    /// binding is a binding too.
    static let bindingChecks = [IssuerCheck(.claim(ClaimPath(member: "cnf"), .missing), else: .boundToken)]

    private var subjectTest: TokenTest {
        let tests = subject.claims.map {
            TokenTest.claim($0, .subject(longest: subject.longest, mayBeEmpty: subject.ignoresEmpty))
        }
        return .all(tests + (subject.isRequired ? [.any(subject.claims.map { .claim($0, .someText) })] : []))
    }

    /// Test of all requirements of the issuer for a token, except for its signature and its directory (tenant).
    ///
    /// - Parameters:
    ///   - audiences: accepted values of `aud`.
    ///   - identifier: the identifier that `iss` matches.
    public func test(audiences: [String], identifier: IssuerIdentifier) -> TokenTest {
        let keys = deniedKeys.isEmpty ? [] : [TokenTest.header(.keyIDAmong(deniedKeys), holds: false)]
        var flow = TokenTest.always(true)
        if case .policy(let rule) = keyBinding {
            let flows = rule.policies.indexed.filter { index, _ in identifier.policy.map { $0 == index } ?? true }
            flow = .any(flows.map { rule.test(naming: $0.element) })
        }
        let claims = kindChecks + clientChecks
        return .all(
            headerChecks.map(\.test) + keys + [flow, .times(.valid(times), holds: true), audienceTest(audiences)]
                + claims.map(\.test) + [subjectTest]
                + (claimChecks + Self.tokenIDChecks + Self.bindingChecks).map(\.test))
    }
}

extension ClaimPath {
    /// `aud`.
    static let audience = ClaimPath(member: "aud")
}

/// Requirement for an issuer's tokens, and the rejection of a token that fails it.
public struct IssuerCheck: Sendable, Hashable {
    public let test: TokenTest
    public let rejection: TokenRejection

    public init(_ test: TokenTest, else rejection: TokenRejection) {
        self.test = test
        self.rejection = rejection
    }
}
