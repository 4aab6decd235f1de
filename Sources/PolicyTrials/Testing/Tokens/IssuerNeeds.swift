import ConfigurationFile
import JOSE
import TokenVerification

/// Adds the claims that every token of an issuer needs, so that a test states only the claims it is about.
///
/// The result is predictable: the first value in the order of the file or the profile. Nothing is added for rules: no
/// scope, role, client, organization or other claim, unless the issuer accepts no token without it.
struct IssuerNeeds {
    let issuer: TrustedIssuer
    /// Values of `aud` that the request's resource accepts. Empty if it accepts no tokens of the issuer.
    let audiences: [String]
    let time: NumericDate

    /// Lifetime of a token in seconds, if the test states no `exp`.
    static let lifetime = 300
    /// Value of the subject claim, if the issuer requires one and the test states none.
    static let subject = "subject"
    /// Directory ID of a token, if any directory is accepted.
    private static let anyTenant = "00000000-0000-4000-8000-000000000000"

    // MARK: Header

    func complete(header: inout StatedObject) {
        if let algorithm = issuer.algorithms.algorithms.first { header.add(["alg"], .string(algorithm.rawValue)) }
        header.add(["typ"], .string(issuer.tokenType == .accessTokenJWT ? "at+jwt" : "JWT"))
        header.add(["kid"], .string("test"))
        guard let rule = issuer.signerRule else { return }
        if let identifier = rule.issuers.first { header.add(["iss"], .string(identifier)) }
        if let signer = rule.signers.first { header.add(["signer"], .string(signer)) }
        if let client = issuer.clients?.first { header.add(["client"], .string(client)) }
    }

    // MARK: Claims

    func complete(claims: inout StatedObject) {
        addIdentifier(to: &claims)
        addTimes(to: &claims)
        if let audience = audiences.first, !takesClientForAudience { claims.add(["aud"], .string(audience)) }
        addClient(to: &claims)
        // Before the default subject, since a check may require a subject below a path.
        for case .claim(let path, .below(let start), holds: true) in issuer.claimChecks.map(\.test) {
            claims.add(path.names, .string(start + "/test"))
        }
        addSubject(to: &claims)
        if let version = issuer.versions?.first { claims.add(["ver"], StatedValue(version)) }
        if case .claims(let tests) = issuer.tokenType { for test in tests { add(test, to: &claims) } }
        for check in issuer.claimChecks { add(check.test, to: &claims) }
    }

    /// Adds `iss`, and the tenant and user flow that belong to it.
    private func addIdentifier(to claims: inout StatedObject) {
        let stated = claims.text(at: ClaimPath(member: "tid"))
        let tenant =
            stated ?? issuer.identifiers.first?.tenant
            ?? issuer.directory.map { $0.allowed?.sorted().first ?? Self.anyTenant }
        let identifier =
            issuer.identifiers.first { $0.tenant == nil || $0.tenant == tenant } ?? issuer.identifiers.first
        if let text = identifier?.example(tenant: tenant ?? "") { claims.add(["iss"], .string(text)) }
        if issuer.directory != nil, let tenant { claims.add(["tid"], .string(tenant)) }
        guard case .policy(let rule) = issuer.keyBinding, let path = rule.claims.first else { return }
        guard rule.claims.allSatisfy({ claims.text(at: $0) == nil }) else { return }
        if let flow = rule.policies[identifier?.policy ?? 0] { claims.add(path.names, .string(flow)) }
    }

    private func addTimes(to claims: inout StatedObject) {
        let now = Int64(time.seconds.rounded(.down))
        let lifetime = min(Self.lifetime, issuer.maxLifetime.map { Int($0.components.seconds) } ?? Self.lifetime)
        claims.add(["iat"], .integer(now))
        claims.add(["exp"], .integer(now + Int64(lifetime)))
        if issuer.requiresAuthenticationTime || issuer.maxAuthenticationAge != nil {
            claims.add(["auth_time"], .integer(now))
        }
    }

    private var takesClientForAudience: Bool {
        if case .client = issuer.audience { true } else { false }
    }

    private func addClient(to claims: inout StatedObject) {
        guard issuer.signerRule == nil, let client = issuer.clients?.first, let path = issuer.clientClaims.first else {
            return
        }
        guard issuer.clientClaims.allSatisfy({ claims.text(at: $0) == nil }) else { return }
        claims.add(path.names, .string(client))
    }

    private func addSubject(to claims: inout StatedObject) {
        let paths = issuer.subject.claims
        guard issuer.subject.isRequired, paths.allSatisfy({ claims.text(at: $0) == nil }) else { return }
        guard let path = paths.first(where: { $0.names == ["sub"] }) ?? paths.first else { return }
        claims.add(path.names, .string(Self.subject))
    }

    /// Adds an example value for a claim test that must hold. Tests without an example, such as that a claim is absent,
    /// add nothing.
    private func add(_ test: TokenTest, to claims: inout StatedObject) {
        guard case .claim(let path, let test, holds: true) = test, let value = test.example else { return }
        claims.add(path.names, StatedValue(value))
    }
}
