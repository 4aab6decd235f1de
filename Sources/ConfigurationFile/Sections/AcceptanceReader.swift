import RequestAuthorization
import TokenVerification

/// Reads whose tokens open a resource: `issuers`, with ``AudiencesReader`` under which audiences, and with
/// ``ScopeTemplatesReader`` how clients ask for their scopes.
struct AcceptanceReader {
    struct Accepted {
        let issuer: NamedIssuer
        let audiences: [AudiencesReader.Audience]
        /// What `ask_for` says of it; nil: nothing.
        let scopeTemplate: ScopeTemplate?

        /// As requests are judged by it, and clients answered.
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

    /// A resource without issuers is closed to everyone; that is no mistake only if every rule is public.
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

    /// Two issuers of one resource must be told apart by the token alone.
    private func judge(_ element: Value, _ issuer: NamedIssuer, beside accepted: [NamedIssuer]) {
        for other in accepted {
            guard let own = issuer.configured, let others = other.configured else { continue }
            if let identifier = SharedIdentifiers.identifier(of: own.trusted, and: others.trusted) {
                element.report(
                    "`\(issuer.name)` and `\(other.name)` are both the issuer `\(identifier)`: nobody could tell whose a token is",
                    hint: "keep one of them here")
            }
            if own.introspection != nil, others.introspection != nil {
                element.report(
                    "`\(issuer.name)` and `\(other.name)` both have `introspect`: nobody could tell whose an opaque token is",
                    hint: "keep one of them here, or write `opaque: reject` for one")
            }
        }
    }
}
