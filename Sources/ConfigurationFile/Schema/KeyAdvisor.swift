/// Finds the key that was probably meant by an unknown key of a configuration file.
final class KeyAdvisor {
    private lazy var sections = ConfigurationReference.sections
    /// Locations of the keys below a section, by the section's title. Cached because a file may have any number of
    /// unknown keys.
    private var knownPlaces: [String: KeyPlaces] = [:]

    static func advice() -> KeyAdvice {
        let advisor = KeyAdvisor()
        return KeyAdvice(
            word: { advisor.hint(forWord: $0, in: $1, known: $2) }, elsewhere: { advisor.place(of: $0, in: $1) },
            example: { advisor.example(of: $0, in: $1) })
    }

    private func place(of key: String, in section: String) -> String? {
        guard !Self.common.contains(key) else { return nil }
        return told(from: section) { $0.place(named: key) }.map { "there is \($0)" }
    }

    /// Names of keys in several sections. They do not show which section was meant.
    private static let common: Set<String> = ["name", "header", "path", "key", "from", "value"]

    private func hint(forWord key: String, in section: String, known: [String]) -> String? {
        guard let wish = KeyWish.of(key, in: section) else { return nil }
        switch wish.answer {
        case .unsupported(let row): return "not supported: \(row) (docs/not-supported.md)"
        case .key(let name, let owner):
            if let requirement = Self.requirement(name, of: owner, in: section) { return requirement }
            let isOwn = known.contains(name)
            let place = told(from: section) { isOwn ? $0.place(named: name) : $0.place(of: name, in: owner) }
            return place.map { "write \($0)\(wish.note.map { "; \($0)" } ?? "")" }
        }
    }

    /// Hint that a requirement belongs below `require` of a resource. Nil for a key that only rules have, and in every
    /// other section.
    private static func requirement(_ name: String, of owner: SectionReference, in section: String) -> String? {
        let keys = RequirementKeys()
        guard section == ResourceKeys.section.title, owner.title == RequirementKeys.section.title,
            !keys.ofRulesAlone.map(\.name).contains(name), let key = keys.all.first(where: { $0.name == name })
        else { return nil }
        return "write `require: {\(name): \(key.reference.example)}` here for every rule, or `\(name)` in one of them"
    }

    /// Text for the location of a key that the closure finds: below the section if possible, otherwise from the top of
    /// the file. Nil if the key is in neither.
    private func told(from section: String, _ place: (KeyPlaces) -> KeyPlaces.Place?) -> String? {
        if let here = places(below: section).flatMap(place) { return "`\(here.written)` here" }
        return places(below: FileKeys.section.title).flatMap(place).map { "`\($0.written)` at the top of the file" }
    }

    private func places(below title: String) -> KeyPlaces? {
        if let known = knownPlaces[title] { return known }
        guard let section = sections.first(where: { $0.title == title }) else { return nil }
        let places = KeyPlaces(below: section)
        knownPlaces[title] = places
        return places
    }

    private func example(of key: String, in section: String) -> String? {
        sections.lazy.flatMap(\.keys).first { $0.name == key && $0.reference.form.leads(to: section) }.map(
            \.reference.example)
    }
}

extension ValueForm {
    fileprivate func leads(to section: String) -> Bool {
        first { form in if case .section(let own) = form, own.title == section { true } else { nil } } ?? false
    }
}
