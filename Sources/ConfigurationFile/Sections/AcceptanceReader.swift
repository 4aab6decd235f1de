import RequestAuthorization
import TokenVerification

/// Reads whose tokens open a resource: `issuers`, and with ``AudiencesReader`` under which audiences.
struct AcceptanceReader {
    struct Accepted {
        let issuer: AcceptedIssuer
        let audiences: [AudiencesReader.Audience]
    }

    let issuers: NamedIssuers
    let identifier: String

    func read(_ section: Section, rules: ResourceRules?) -> [Accepted] {
        let accepted = accepted(section, rules: rules)
        let audiences = AudiencesReader(issuers: issuers, identifier: identifier, accepted: accepted).read(section)
        return accepted.compactMap { issuer in
            audiences[issuer].map { audiences in
                Accepted(issuer: AcceptedIssuer(issuer: issuer, audiences: audiences.map(\.text)), audiences: audiences)
            }
        }
    }

    /// A resource without issuers is closed to everyone; that is no mistake only if every rule is public.
    private func accepted(_ section: Section, rules: ResourceRules?) -> [Int] {
        let needsIssuers = rules?.needsToken ?? true
        guard let value = section["issuers"] else {
            if needsIssuers {
                section.value.reportMissing("`issuers` is missing", hint: "name the issuers whose tokens open this resource")
            }
            return []
        }
        guard let elements = value.elements(expected: "an issuer's name or a list of names") else { return [] }
        if elements.isEmpty, needsIssuers { value.report("the list is empty", hint: "name the issuers whose tokens open this resource") }
        var accepted: [Int] = []
        for element in elements {
            guard let index = index(element, beside: accepted) else { continue }
            judge(element, index, beside: accepted)
            accepted.append(index)
        }
        return accepted
    }

    private func index(_ element: Value, beside accepted: [Int]) -> Int? {
        guard let name = element.someText(expected: "an issuer's name") else { return nil }
        guard let index = issuers.index(of: name) else {
            element.report("there is no issuer `\(name)`", hint: Self.hint(for: name, among: issuers.names))
            return nil
        }
        guard !accepted.contains(index) else {
            element.report("`\(name)` stands twice")
            return nil
        }
        return index
    }

    /// Two issuers of one resource must be told apart by the token alone.
    private func judge(_ element: Value, _ index: Int, beside accepted: [Int]) {
        let issuer = issuers.all[index]
        for other in accepted.map({ issuers.all[$0] }) {
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

    static func hint(for name: String, among known: [String]) -> String? {
        if let nearest = NearestName.of(name, among: known) { return "did you mean `\(nearest)`?" }
        return known.isEmpty ? nil : "known here: \(known.joined(separator: ", "))"
    }
}
