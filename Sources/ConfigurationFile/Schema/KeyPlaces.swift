/// Locations of keys below one section of a file: the shortest way to each key.
struct KeyPlaces {
    /// Way from a section to a key, outermost step first.
    struct Place {
        fileprivate let steps: [Step]
        fileprivate let example: String

        /// Key with its example inside its parents, such as `log: {level: warning}`.
        var written: String { Self.written(steps[...], example) }

        private static func written(_ steps: ArraySlice<Step>, _ example: String) -> String {
            guard let step = steps.first else { return example }
            let inner = steps.dropFirst()
            let rest = written(inner, example)
            let value = inner.isEmpty || inner.first == .element ? rest : "{\(rest)}"
            return switch step {
            case .key(let name): "\(name): \(value)"
            case .ownName: "…: \(value)"
            case .element: "[{\(rest)}]"
            case .beside(let names): names.map { "\($0): …, " }.joined() + rest
            }
        }
    }

    fileprivate enum Step: Equatable {
        case key(String)
        /// Name that the operator chooses.
        case ownName
        case element
        /// Required keys that are written before the next one in the same mapping.
        case beside([String])
    }

    /// Keys that are shared by several rules or alternatives. Keys below them are not searched, because they belong in
    /// a rule.
    private static let shared = [
        FileKeys().policies.name, ResourceKeys().require.name, RequirementKeys().anyOf.name,
    ]

    /// Sections whose keys are named after what other sections define, such as `claims`. Such a key is what was meant
    /// only if no other section has it.
    private static let echoing: Set<String> = [AccessLogKeys.section.title, RedactionKeys.section.title]

    private var byKey: [String: Place] = [:]
    private var byName: [String: Place] = [:]

    init(below root: SectionReference) {
        var waiting: [(section: SectionReference, steps: [Step])] = [(root, [])]
        var seen: Set<String> = [root.title]
        var echoes: [String: Place] = [:]
        while !waiting.isEmpty {
            let (section, steps) = waiting.removeFirst()
            let keys = section.keys
            for key in keys {
                let own = steps + Self.companions(of: key.name, among: keys, steps) + [.key(key.name)]
                let place = Place(steps: own, example: key.reference.example)
                if section.title != root.title, Self.echoing.contains(section.title) {
                    echoes[key.name] = echoes[key.name] ?? place
                } else {
                    byName[key.name] = byName[key.name] ?? place
                }
                byKey[Self.identity(section, key.name)] = place
                guard !Self.shared.contains(key.name) else { continue }
                for (part, way) in Self.parts(of: key.reference.form) where seen.insert(part.title).inserted {
                    waiting.append((part, own + way))
                }
            }
        }
        byName.merge(echoes) { meant, _ in meant }
    }

    /// Way to the nearest key with this name. Nil if there is no key with this name.
    func place(named name: String) -> Place? { byName[name] }

    func place(of key: String, in section: SectionReference) -> Place? { byKey[Self.identity(section, key)] }

    private static func identity(_ section: SectionReference, _ key: String) -> String { section.title + "\n" + key }

    /// Required keys of the same mapping, which the example must show too. None for a mapping under an operator's own
    /// name: the file probably has it already, with these keys.
    private static func companions(of key: String, among keys: [NamedKey], _ steps: [Step]) -> [Step] {
        guard let last = steps.last, last != .ownName else { return [] }
        let required = keys.filter { $0.reference.absence.isRefused && $0.name != key }
        return required.isEmpty ? [] : [.beside(required.map(\.name))]
    }

    /// Sections that a form leads to, each with the way from the key.
    private static func parts(of form: ValueForm) -> [(SectionReference, [Step])] {
        switch form {
        case .section(let section): [(section, [])]
        case .tagged(_, let sections): sections.map { ($0.section, []) }
        case .list(let element, _), .listAlone(let element): parts(of: element).map { ($0, [.element] + $1) }
        case .mapping(.words(let names), let value) where names.count == 1:
            parts(of: value).map { ($0, names.map { .key($0) } + $1) }
        case .mapping(_, let value): parts(of: value).map { ($0, [.ownName] + $1) }
        case .oneOf(let forms): forms.flatMap { parts(of: $0) }
        case .text, .pattern, .words, .boolean, .integer, .duration, .size, .claimValue, .anything: []
        }
    }
}
