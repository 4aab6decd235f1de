/// The checks of every token before any rule, in the order of the list in `docs/security.md`.
struct TokenJudge {
    let token: Token
    let resource: Resource
    let issuers: [Issuer]
    let now: Int

    /// Signature algorithms of the algorithm table.
    private static let knownAlgorithms = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "Ed448", "EdDSA",
    ]

    /// The issuer of a token that is valid for the resource. Throws the fault otherwise.
    func verified() throws(Fault) -> Issuer {
        guard formFaults.isEmpty else { throw Fault(formFaults) }
        guard let issuer else { throw Fault([.issuerMismatch]) }
        let checks = [
            headerFaults, timeFaults, audienceFaults, kindFaults, clientFaults, subjectFaults, claimFaults,
            bindingFaults,
        ]
        for check in checks {
            let faults = check(issuer)
            guard faults.isEmpty else { throw Fault(faults.union(identifierFaults)) }
        }
        guard identifierFaults.isEmpty else { throw Fault(identifierFaults) }
        return issuer
    }

    // MARK: Form, issuer and header

    private var formFaults: Set<Reason> {
        var faults: Set<Reason> = []
        if !["crit", "b64", "zip", "enc"].allSatisfy({ token.header[$0] == nil }) { faults.insert(.unsupportedHeader) }
        for name in ["typ", "kid"] {
            if let member = token.header[name], text(member) == nil { faults.insert(.malformed) }
        }
        if !Self.knownAlgorithms.contains(text(token.header["alg"]) ?? "") { faults.insert(.algorithmNotAllowed) }
        return faults
    }

    private var issuer: Issuer? {
        issuers.first { resource.issuers.contains($0.name) && $0.accepts(token.claims["iss"]) }
    }

    private func headerFaults(_ issuer: Issuer) -> Set<Reason> {
        if issuer.tokenType == .accessTokenJWT, token.header["typ"] != .text("at+jwt") { return [.typeMismatch] }
        let keyID = text(token.header["kid"])
        if keyID == nil, !issuer.allowsMissingKeyID { return [.unknownKeyID] }
        if !issuer.acceptedAlgorithms.contains(text(token.header["alg"]) ?? "") { return [.algorithmNotAllowed] }
        return keyID.map(issuer.deniedKeys.contains) == true ? [.unknownKeyID] : []
    }

    // MARK: Claims

    /// Faults of dates; the page leaves open which of several is reported.
    private func timeFaults(_ issuer: Issuer) -> Set<Reason> {
        var faults: Set<Reason> = []
        let leeway = Double(issuer.toleratedSeconds)
        for name in ["exp", "nbf", "iat"] {
            let claim = claim(name)
            guard let date = claim?.value else {
                if claim != nil || name == "exp" { faults.insert(.claimInvalid) }
                continue
            }
            if name == "exp" {
                if Double(now) >= date + leeway { faults.insert(.expired) }
            } else if date > Double(now) + leeway {
                faults.insert(.notYetValid)
            }
        }
        if let most = issuer.maxLifetime, let end = claim("exp")?.value,
            end - (claim("iat")?.value ?? Double(now)) > Double(most)
        {
            faults.insert(.claimInvalid)
        }
        return faults
    }

    /// Faults of `jti`; the page leaves open when it is checked.
    private var identifierFaults: Set<Reason> {
        switch claim("jti") {
        case nil, .text?, .integer?: []
        case .null?, .boolean?, .number?, .array?, .object?: [.claimInvalid]
        }
    }

    private func audienceFaults(_ issuer: Issuer) -> Set<Reason> {
        if claim("aud") == nil || claim("aud") == .array([]),
            let client = issuer.client(of: token.claims), issuer.clientsWithoutAudience.contains(client)
        {
            return []
        }
        let accepted = resource.audiences(of: issuer).map(JSON.text)
        let named =
            switch claim("aud") {
            case .text(let text)?: [JSON.text(text)]
            case .array(let elements)?: elements
            case nil, .null?, .boolean?, .integer?, .number?, .object?: [] as [JSON]
            }
        return named.contains(where: accepted.contains) ? [] : [.audienceMismatch]
    }

    private func kindFaults(_ issuer: Issuer) -> Set<Reason> {
        if claim("events") != nil { return [.notAccessToken] }
        guard case .claim(let path, let values) = issuer.tokenType else { return [] }
        return ClaimDemand(path, values).holds(for: token.claims) ? [] : [.notAccessToken]
    }

    private func clientFaults(_ issuer: Issuer) -> Set<Reason> {
        guard let clients = issuer.clients else { return [] }
        return issuer.client(of: token.claims).map(clients.contains) == true ? [] : [.clientNotAllowed]
    }

    private func subjectFaults(_ issuer: Issuer) -> Set<Reason> {
        issuer.subjectPaths.reduce(into: []) { $0.formUnion(subjectFaults($1.value(in: token.claims))) }
    }

    private func subjectFaults(_ subject: JSON?) -> Set<Reason> {
        switch subject {
        case nil, .integer?: []
        case .text(let text)? where !text.isEmpty && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }: []
        case .null?, .boolean?, .number?, .text?, .array?, .object?: [.subjectInvalid]
        }
    }

    private func claimFaults(_ issuer: Issuer) -> Set<Reason> {
        let judge = RequirementJudge(claims: token.claims, issuer: issuer, implied: [:], parameters: [:], now: now)
        return issuer.require.filter(\.isAboutClaims).allSatisfy(judge.holds) ? [] : [.claimNotAllowed]
    }

    private func bindingFaults(_: Issuer) -> Set<Reason> { claim("cnf") == nil ? [] : [.boundToken] }

    /// A top-level claim; null counts as absent.
    private func claim(_ name: String) -> JSON? { token.claims[name].flatMap { $0 == .null ? nil : $0 } }

    private func text(_ value: JSON?) -> String? {
        if case .text(let text) = value { text } else { nil }
    }
}

extension Issuer {
    /// The client that a token was issued to: the first client claim that is present, if it is a string or an integer
    /// (its digits). Nil if it has another type, or none is present.
    func client(of claims: [String: JSON]) -> String? {
        switch clientPaths.lazy.compactMap({ $0.value(in: claims) }).first {
        case .text(let text)?: text
        case .integer(let number)?: "\(number)"
        case nil, .null?, .boolean?, .number?, .array?, .object?: nil
        }
    }
}
