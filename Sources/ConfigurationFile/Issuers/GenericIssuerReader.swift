import JOSE
import KeySets
import NetworkNames
import TokenVerification
import TypedIndices

/// Reads an issuer without a profile: plain OpenID Connect, or RFC 9068.
struct GenericIssuerReader {
    private static let keys =
        ["profile", "issuer", "algorithms", "token_type", "scope_claims", "role_claims", "client_claims", "clients"]
        + IssuersReader.sharedKeys

    let member: Value.Member
    let waitingLimit: Int

    func read() -> NamedIssuer {
        var issuer = NamedIssuer(member: member)
        let misplaced = MisplacedKeys(profile: nil, known: Self.keys)
        guard let section = Section(member.value, keys: Self.keys, misplaced: misplaced.hint) else { return issuer }
        let shared = IssuerSection(section, waitingLimit: waitingLimit)
        let identifier = Self.identifier(section, shared.permitsPlainHTTP)
        let sources = KeySourceReader(names: [""], permitsPlainHTTP: shared.permitsPlainHTTP).read(section)
        // The rest is read even if something is missing by now, for its problems.
        let trusted = trusted(section, identifier: identifier)
        var keySet = KeySetConfiguration(source: .discovery(issuer: identifier ?? ""), issuer: identifier ?? "")
        if case .some(.some(let source)) = sources?.first { keySet.source = source }
        let configured = shared.configured(trusted ?? .unreadable(member.key), keySets: [keySet])
        guard identifier != nil, sources != nil, trusted != nil else { return issuer }
        PlainHTTP.warn(section, permits: shared.permitsPlainHTTP, of: configured)
        issuer.configured = configured
        return issuer
    }

    private static func identifier(_ section: Section, _ permitsPlainHTTP: Bool) -> String? {
        let value = section.required("issuer", hint: "write the `iss` of its tokens, such as `https://id.example.com`")
        guard let value, let text = value.someText(expected: "the `iss` of its tokens") else { return nil }
        guard let url = value.judgeURL(text, permitsPlainHTTP: permitsPlainHTTP) else { return nil }
        guard !url.target.contains("?") else {
            value.report("an issuer has no query (RFC 8414 §2)", hint: "write it without `?` and what follows")
            return nil
        }
        return text
    }

    private func trusted(_ section: Section, identifier: String?) -> TrustedIssuer? {
        let algorithms = AlgorithmsReader.read(section["algorithms"])
        let tokenType = TokenTypeReader.read(section)
        var trusted = TrustedIssuer(
            name: member.key, identifier: identifier ?? "", algorithms: algorithms ?? [.rs256, .es256],
            tokenType: tokenType ?? .accessTokenJWT,
        )
        if let claims = Self.claims(section["scope_claims"]) { trusted.scopeClaims = claims }
        if let claims = Self.claims(section["role_claims"]) { trusted.roleClaims = claims.map { RoleClaim($0) } }
        if let claims = Self.claims(section["client_claims"]) { trusted.clientClaims = claims }
        trusted.clients = section["clients"]?.texts(of: "client")
        return algorithms != nil && tokenType != nil ? trusted : nil
    }

    private static func claims(_ value: Value?) -> [ClaimPath]? {
        value?.someElements(of: "claim")?.compactMap { $0.claimPath() }
    }
}
