import IssuerProfiles
import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Reads an issuer without a profile: OpenID Connect, or RFC 9068.
struct GenericIssuerReader {
    let member: Value.Member
    let waitingLimit: Int

    func read() -> NamedIssuer {
        var issuer = NamedIssuer(member: member)
        let known = GenericIssuerKeys.known
        let misplaced = MisplacedKeys(profile: nil, known: known)
        guard let section = Section(member.value, of: GenericIssuerKeys.self, known: known, misplaced: misplaced.hint)
        else {
            return issuer
        }
        let shared = IssuerSection(section.part(IssuerKeys.self), waitingLimit: waitingLimit)
        issuer.required = shared.required
        issuer.forbidsPublicRules = shared.hasRequirement
        let identifier = Self.identifier(section, shared)
        // The rest is read even if something is missing already, to report its problems.
        let trusted = trusted(section, shared, identifier: identifier)
        let reader = KeySourceReader(
            names: [""], permitsPlainHTTP: shared.permitsPlainHTTP, algorithms: trusted?.algorithms)
        let sources = reader.read(shared.section)
        let keySet = KeySetConfiguration(source: .discovery(issuer: identifier ?? ""), issuer: identifier ?? "")
        let configured = shared.configured(
            trusted ?? .unreadable(member.key), keySets: IndexedBy(keySet.at(sources?.first ?? [])))
        guard identifier != nil, sources != nil, trusted != nil else { return issuer }
        PlainHTTP.warn(shared.section, permits: shared.permitsPlainHTTP, of: configured)
        KeySetCredentialsReader.warn(shared.section, of: configured)
        issuer.configured = configured
        return issuer
    }

    private static func identifier(_ section: Section<GenericIssuerKeys>, _ shared: IssuerSection) -> String? {
        let value = section.required(\.issuer)
        guard let value, let text = value.someText(expected: "the `iss` of its tokens") else { return nil }
        if text.contains(RealmPattern.placeholder) {
            return RealmsReader.judge(text, value, permitsPlainHTTP: shared.permitsPlainHTTP)
        }
        if let slip = HTTPURL(text).flatMap(IssuerSlip.init) {
            guard slip.issuer == nil else { return value.refuse(slip.message, hint: slip.hint) }
            // An operator who names the keys has checked the identifier already.
            if !shared.namesKeys { value.warn(slip.message, hint: slip.hint) }
        }
        guard !shared.namesKeys else {
            warn(ofSlipIn: text, value)
            return text
        }
        guard let url = value.judgeURL(text, permitsPlainHTTP: shared.permitsPlainHTTP, hint: noURLHint) else {
            return nil
        }
        guard !url.target.contains("?") else {
            return value.refuse("an issuer has no query (RFC 8414 §2)", hint: "write it without `?` and what follows")
        }
        if let slip = EntraIssuerSlip(issuer: text) { value.warn(slip.message, hint: slip.hint) }
        return text
    }

    private static let noURLHint =
        "write `https://host/path`, without a fragment; an `iss` that is not a URL needs `jwks_uri`, `jwks_file` or `keys`"

    /// Warns of an `iss` that is probably a mistake. Without discovery any text is valid (RFC 7519 §2).
    private static func warn(ofSlipIn text: String, _ value: Value) {
        guard text.lowercased().hasPrefix("http"), HTTPURL(text) == nil else { return }
        // The text is not shown, because it may contain a password.
        value.warn("looks like a URL, but is not a valid one", hint: "tokens must have exactly this text as `iss`")
    }

    private func trusted(_ section: Section<GenericIssuerKeys>, _ shared: IssuerSection, identifier: String?)
        -> TrustedIssuer?
    {
        let algorithms = algorithms(section, shared)
        let tokenType = section.required(\.tokenType)
        var trusted = TrustedIssuer(
            name: member.key, identifier: identifier ?? "", algorithms: algorithms ?? [],
            tokenType: tokenType ?? .accessTokenJWT,
        )
        section.assign(to: &trusted)
        trusted.refusedIdentifiers = identifier.flatMap { EntraIssuerSlip(issuer: $0) }?.refusedIdentifiers ?? []
        return algorithms != nil && tokenType != nil ? trusted : nil
    }

    /// Reads `algorithms`. The default is for key sets, whose keys may name their algorithms. Nil after an error, which
    /// is reported.
    private func algorithms(_ section: Section<GenericIssuerKeys>, _ shared: IssuerSection) -> SignatureAlgorithmSet? {
        guard shared.section[\.pemKeys] == nil || section[\.algorithms] != nil else {
            return section.value.refuseMissing(
                "`algorithms` is missing",
                hint: "a key in PEM does not name its algorithm: write those of the issuer, such as [RS256]")
        }
        return section.read(\.algorithms).value
    }
}
