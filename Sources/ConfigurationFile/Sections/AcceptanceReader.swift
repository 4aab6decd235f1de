import RequestAuthorization
import TokenVerification

/// Reads which issuers' tokens open a resource (`issuers`). ``AudiencesReader`` reads with which audiences, and
/// ``ScopeTemplatesReader`` how clients ask for scopes.
struct AcceptanceReader {
    struct Accepted {
        let issuer: NamedIssuer
        let audiences: [AudiencesReader.Audience]
        /// Template of `ask_for` for this issuer. Nil if there is none.
        let scopeTemplate: ScopeTemplate?

        /// Terms of this issuer, by which requests are judged and clients answered.
        var terms: AcceptedIssuer {
            AcceptedIssuer(issuer: issuer.index, audiences: audiences.map(\.text), scopeTemplate: scopeTemplate)
        }
    }

    let issuers: NamedIssuers
    let identifier: String

    func read(_ section: Section<ResourceKeys>, rules: ResourceRules?) -> [Accepted] {
        let accepted = accepted(section, rules: rules)
        let audiences = AudiencesReader(issuers: issuers, identifier: identifier, accepted: accepted).read(section)
        let templates = ScopeTemplatesReader(issuers: issuers, accepted: accepted).read(section[\.askFor])
        return accepted.compactMap { issuer in
            audiences[issuer.index].map {
                Accepted(issuer: issuer, audiences: $0, scopeTemplate: templates[issuer.index])
            }
        }
    }

    /// Reads the issuers whose tokens open the resource. A resource without issuers permits nobody, which is an error
    /// unless every rule is public.
    private func accepted(_ section: Section<ResourceKeys>, rules: ResourceRules?) -> [NamedIssuer] {
        let needsIssuers = rules?.needsToken ?? true
        guard let value = needsIssuers ? section.required(\.issuers) : section[\.issuers],
            let elements = value.elements(expected: "an issuer's name or a list of names")
        else { return [] }
        if elements.isEmpty, needsIssuers {
            value.report("the list is empty", hint: ResourceKeys().issuers.reference.absence.hint)
        }
        var accepted: [NamedIssuer] = []
        for element in elements {
            guard let issuer = issuer(element, beside: accepted) else { continue }
            judge(element, issuer, beside: accepted)
            accepted.append(issuer)
        }
        return accepted
    }

    private func issuer(_ element: Value, beside accepted: [NamedIssuer]) -> NamedIssuer? {
        guard let name = element.someText(expected: "an issuer's name") else { return nil }
        guard let issuer = issuers.issuer(named: name) else {
            return element.refuse(
                "there is no issuer `\(name)`", hint: NearestName.hint(for: name, among: issuers.names))
        }
        guard !accepted.contains(where: { $0.index == issuer.index }) else {
            return element.refuse("`\(name)` stands twice")
        }
        return issuer
    }

    /// Reports two issuers of one resource that a token alone cannot tell apart.
    private func judge(_ element: Value, _ issuer: NamedIssuer, beside accepted: [NamedIssuer]) {
        for other in accepted {
            guard let own = issuer.configured, let others = other.configured else { continue }
            if let identifier = SharedIdentifiers.identifier(of: own.trusted, and: others.trusted) {
                element.report(
                    "`\(issuer.name)` and `\(other.name)` are both the issuer `\(identifier)`: a token would match both",
                    hint: "keep one of them here")
            }
            if own.introspection != nil, others.introspection != nil {
                element.report(
                    "`\(issuer.name)` and `\(other.name)` both have `introspect`: an opaque token would match both",
                    hint: "keep one of them here, or write `opaque: reject` for one")
            }
        }
    }
}
