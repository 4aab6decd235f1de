import RequestAuthorization

/// Reads whose tokens open a resource, and under which audiences: `issuers` and `audiences`.
struct AcceptanceReader {
    struct Audience {
        let text: String
        let value: Value
    }

    struct Accepted {
        let issuer: AcceptedIssuer
        let audiences: [Audience]
    }

    let issuers: NamedIssuers
    let identifier: String

    func read(_ section: Section, rules: ResourceRules?) -> [Accepted] {
        let names = names(section, rules: rules)
        let audiences = audiences(section, names: names)
        return names.compactMap { name in
            guard let index = issuers.index(of: name), let audiences = audiences[name] else { return nil }
            return Accepted(issuer: AcceptedIssuer(issuer: index, audiences: audiences.map(\.text)), audiences: audiences)
        }
    }

    /// A resource without issuers is closed to everyone; that is no mistake only if every rule is public.
    private func names(_ section: Section, rules: ResourceRules?) -> [String] {
        let needsIssuers = rules?.needsToken ?? true
        guard let value = section["issuers"] else {
            if needsIssuers {
                section.value.reportMissing("`issuers` is missing", hint: "name the issuers whose tokens open this resource")
            }
            return []
        }
        guard let elements = value.elements(expected: "an issuer's name or a list of names") else { return [] }
        if elements.isEmpty, needsIssuers { value.report("the list is empty", hint: "name the issuers whose tokens open this resource") }
        var names: [String] = []
        for element in elements {
            guard let name = element.someText(expected: "an issuer's name") else { continue }
            if names.contains(name) {
                element.report("`\(name)` stands twice")
            } else if issuers.index(of: name) == nil {
                element.report("there is no issuer `\(name)`", hint: hint(for: name, among: issuers.names))
            } else {
                names.append(name)
            }
        }
        return names
    }

    private func hint(for name: String, among known: [String]) -> String? {
        if let nearest = NearestName.of(name, among: known) { return "did you mean `\(nearest)`?" }
        return known.isEmpty ? nil : "known here: \(known.joined(separator: ", "))"
    }

    // MARK: Audiences

    /// `audiences`, when present, is the complete list; absent, it is the identifier alone.
    private func audiences(_ section: Section, names: [String]) -> [String: [Audience]] {
        guard let value = section["audiences"] else {
            let audience = Audience(text: identifier, value: section.value)
            if identifier == "*" { section.value.reportMissing(Self.anyAudience) }
            return Dictionary(names.map { ($0, [audience]) }, uniquingKeysWith: { first, _ in first })
        }
        guard value.isMapping else {
            let audiences = list(value)
            return Dictionary(names.map { ($0, audiences) }, uniquingKeysWith: { first, _ in first })
        }
        var audiences: [String: [Audience]] = [:]
        for member in value.members() ?? [] {
            if !names.contains(member.key) {
                let known = issuers.index(of: member.key) != nil ? "not in this resource's `issuers`" : "no issuer"
                member.reportKey("`\(member.key)` is \(known)", hint: hint(for: member.key, among: names))
            }
            audiences[member.key] = list(member.value)
        }
        for name in names where audiences[name] == nil {
            value.reportMissing("the audiences for `\(name)` are missing", hint: "the mapping is the complete list, so name each issuer")
        }
        return audiences
    }

    private func list(_ value: Value) -> [Audience] {
        (value.someElements(of: "audience", expected: "an audience or a list") ?? []).compactMap { element in
            guard let text = element.someText(expected: "an audience") else { return nil }
            guard text != "*" else {
                element.report(Self.anyAudience)
                return nil
            }
            return Audience(text: text, value: element)
        }
    }

    private static let anyAudience = "`*` is not an audience: it is compared byte for byte, and no option accepts any"
}
