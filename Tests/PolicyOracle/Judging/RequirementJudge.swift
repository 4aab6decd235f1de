/// Judgement of requirements for a token, with the reasons if they do not hold.
struct RequirementJudge {
    let claims: [String: JSON]
    let issuer: Issuer
    /// Scopes that others imply, at the resource.
    let implied: [String: [String]]
    /// Values of the rule's parameters.
    let parameters: [String: String]
    let now: Int

    /// Reasons for which parts that must all hold are refused. Empty if they hold. The first row of the table answers;
    /// the page leaves open which of several parts in one row does.
    func reasons(_ parts: [Part]) -> Set<Reason> {
        let unmet = parts.filter { !holds($0) }
        guard let first = unmet.map(\.rank).min() else { return [] }
        return unmet.filter { $0.rank == first }.reduce(into: []) { $0.formUnion(reasons($1)) }
    }

    private func reasons(_ part: Part) -> Set<Reason> {
        switch part {
        case .organization, .organizationInPath: [.organizationMismatch]
        case .issuer: [.issuerRequired]
        case .allOf, .text: [.insufficientScope]
        case .roles: [.roleRequired]
        case .claims, .not, .absent: [.claimRequired]
        case .clients: [.clientRequired]
        case .acr: [.authenticationTooWeak]
        case .maxAge: [.authenticationTooOld]
        case .anyOf(let alternatives): alternatives.first.map { reasons($0.parts) } ?? []
        }
    }

    func holds(_ part: Part) -> Bool {
        switch part {
        case .allOf(let scopes), .text(let scopes): scopes.allSatisfy(grantedScopes.contains)
        case .anyOf(let alternatives): alternatives.contains { $0.parts.allSatisfy(holds) }
        case .roles(let roles): !tokenRoles.isDisjoint(with: roles)
        case .claims(let demands): demands.allSatisfy { $0.holds(for: claims) }
        case .not(let demands): demands.allSatisfy { $0.isSomethingElse(in: claims) }
        case .absent(let paths): paths.allSatisfy { $0.isAbsent(from: claims) }
        case .issuer(let names): names.contains(issuer.name)
        case .clients(let clients): issuer.client(of: claims).map(clients.contains) == true
        case .organization(let names): organization.map(names.contains) == true
        case .organizationInPath(let name): organization != nil && organization == parameters[name]
        case .acr(let classes): !texts(claims["acr"]).isDisjoint(with: classes)
        case .maxAge(let most): isRecent(most)
        }
    }

    // MARK: What the token says

    /// Scopes of the token, and all scopes that they imply.
    private var grantedScopes: Set<String> {
        let claim = issuer.scopePaths.lazy.compactMap { $0.value(in: claims) }.first
        var granted: Set<String> =
            if case .text(let text) = claim { words(of: text) } else { texts(claim) }
        var waiting = granted
        while let scope = waiting.popFirst() {
            let new = Set(implied[scope] ?? []).subtracting(granted)
            granted.formUnion(new)
            waiting.formUnion(new)
        }
        return granted
    }

    /// Words between the separators, without the spaces beside them.
    private func words(of text: String) -> Set<String> {
        let separator = issuer.scopeSeparator ?? " "
        let words = text.unicodeScalars.split { String($0) == separator }
        return Set(words.map { String(String.UnicodeScalarView($0.trimmed { $0 == " " })) }).subtracting([""])
    }

    private var tokenRoles: Set<String> {
        issuer.rolePaths.flatMap { $0.found(in: claims).values }.reduce(into: []) { $0.formUnion(texts($1)) }
    }

    private var organization: String? {
        if case .text(let text) = claims["organization_id"] { text } else { nil }
    }

    private func isRecent(_ most: Int) -> Bool {
        guard let time = claims["auth_time"]?.value else { return false }
        let age = Double(now) - time
        let leeway = Double(issuer.toleratedSeconds)
        return age <= Double(most) + leeway && age >= -leeway
    }

    /// A text, or the texts of an array.
    private func texts(_ value: JSON?) -> Set<String> {
        switch value {
        case .text(let text): [text]
        case .array(let elements):
            Set(elements.compactMap { if case .text(let text) = $0 { text } else { nil } })
        case nil, .null, .boolean, .integer, .number, .object: []
        }
    }
}

extension Substring.UnicodeScalarView {
    /// The scalars without those at both ends that are left out.
    fileprivate func trimmed(_ isLeftOut: (Unicode.Scalar) -> Bool) -> [Unicode.Scalar] {
        var rest = Array(drop(while: isLeftOut))
        while let last = rest.last, isLeftOut(last) { rest.removeLast() }
        return rest
    }
}
