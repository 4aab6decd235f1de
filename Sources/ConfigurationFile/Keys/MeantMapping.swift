/// Guesses the mapping that was probably meant where text or a list is written instead of a section.
struct MeantMapping {
    private let keys: [any SectionKey]
    private let naturalKeys: [any SectionKey]
    /// Title of the section.
    private let title: String
    private let value: Value
    /// Key that the value belongs to. Nil for an element of a list.
    private let name: String?
    /// Texts of the value. Empty if one of them must not be shown.
    private let texts: [String]

    /// Longest text that is repeated in a hint, in bytes.
    private static let longest = 80

    init(_ value: Value, of keys: some SectionKeys) {
        (self.keys, naturalKeys, title) = (keys.all, keys.natural, type(of: keys).section.title)
        self.value = value
        name = value.path.key
        texts = Self.texts(value)
    }

    /// Advice on what to write instead. Nil if nothing is known.
    var hint: String? {
        guard !value.path.isRoot else { return nil }
        if let name, texts.count == 1, let text = texts.first, text.isNegation { return "leave `\(name)` out" }
        if let members = named ?? natural ?? recognized { return "write `\(written("{\(members)}"))`" }
        return example.map { "write a mapping such as `\($0)`" }
    }

    /// Texts of a scalar or list, for hints. Empty if there are too many, or if one is too long or may be secret. Text
    /// from the environment may be secret, and so may text before an `@`.
    private static func texts(_ value: Value) -> [String] {
        let nodes: [DocumentNode] =
            switch value.node.content {
            case .scalar: [value.node]
            case .sequence(let elements): elements
            case .mapping, .unusable: []
            }
        let texts = nodes.compactMap { node -> String? in
            guard case .scalar(let scalar) = node.content, !scalar.isSubstituted, !scalar.text.isEmpty,
                !scalar.text.contains("@"),
                scalar.text.utf8.count <= longest
            else { return nil }
            return scalar.text
        }
        return texts.count == nodes.count && texts.count <= 8 ? texts : []
    }

    // MARK: Members

    /// Members for keys of the section that are listed instead of a mapping, such as `redact: [subject, path]`. Nil if
    /// there is no text, or one is not the name of a key.
    private var named: String? {
        let keys = texts.compactMap { text in self.keys.first { $0.name == text } }
        guard !keys.isEmpty, keys.count == texts.count else { return nil }
        return keys.map { Self.member($0, $0.reference.example) }.joined(separator: ", ")
    }

    /// Members for the natural keys of a section. The first key that accepts the texts gets them as its value, the
    /// others get their examples. Nil if no natural key accepts them.
    private var natural: String? {
        guard let key = naturalKeys.first(where: { takes($0.reference.form, ValueForm.accepts) }) else { return nil }
        return naturalInOrder.map { Self.member($0, $0.name == key.name ? shown(key) : $0.reference.example) }.joined(
            separator: ", ")
    }

    /// Member for the first key whose form the text has, in a section without natural keys. Nil in other sections, and
    /// if no key fits.
    private var recognized: String? {
        guard naturalKeys.isEmpty else { return nil }
        return keys.first { takes($0.reference.form, ValueForm.recognizes) }.map { Self.member($0, shown($0)) }
    }

    private func takes(_ form: ValueForm, _ test: (ValueForm) -> (String) -> Bool) -> Bool {
        !texts.isEmpty && texts.allSatisfy(test(form)) && (texts.count == 1 || form.isList)
    }

    private func shown(_ key: any SectionKey) -> String {
        let list = texts.map(FlowText.of).joined(separator: ", ")
        return value.isList && key.reference.form.isList ? "[\(list)]" : list
    }

    private static func member(_ key: any SectionKey, _ text: String) -> String { "\(key.name): \(text)" }

    // MARK: Example

    /// Example mapping: the key's own example if there is one. For a name chosen by the operator, or an element of a
    /// list, a mapping with the section's natural keys. Nil if the section has none.
    private var example: String? {
        if let name, let example = value.reading.advice.example(name, title) { return written(example) }
        let members = naturalInOrder.map { Self.member($0, $0.reference.example) }.joined(separator: ", ")
        return members.isEmpty ? nil : written("{\(members)}")
    }

    private func written(_ mapping: String) -> String { name.map { "\(FlowText.of($0)): \(mapping)" } ?? mapping }

    /// Natural keys, in the order of the section.
    private var naturalInOrder: [any SectionKey] {
        let names = naturalKeys.map(\.name)
        return keys.filter { names.contains($0.name) }
    }
}

extension ValueForm {
    /// True if the text is a possible value of this form.
    func accepts(_ text: String) -> Bool {
        switch self {
        case .text, .pattern, .claimValue: !Self.isLiteral(text)
        case .list(let element, _), .listAlone(let element): element.accepts(text)
        case .oneOf(let forms): forms.contains { $0.accepts(text) }
        case .words, .boolean, .integer, .duration, .size, .anything, .mapping, .section, .tagged: recognizes(text)
        }
    }

    /// True if the text has this form and is unlikely to have another one.
    func recognizes(_ text: String) -> Bool {
        switch self {
        case .words(let words): words.contains(text)
        case .integer(let range): Quantity.digits(text[...]).map(range.contains) ?? false
        case .duration(let range):
            Quantity.digits(text[...]) == nil && (Quantity.duration(text).map(range.contains) ?? false)
        case .size(let range):
            Quantity.digits(text[...]) == nil && (Quantity.byteCount(text).map(range.contains) ?? false)
        case .list(let element, _), .listAlone(let element): element.recognizes(text)
        case .oneOf(let forms): forms.contains { $0.recognizes(text) }
        case .text, .pattern, .boolean, .claimValue, .anything, .mapping, .section, .tagged: false
        }
    }

    /// True if the text is a boolean word or a number, so not a name, path or address.
    private static func isLiteral(_ text: String) -> Bool {
        ["true", "yes", "on", "enabled"].contains(text.lowercased()) || Double(text) != nil
    }

    var isList: Bool {
        first { if case .list = $0 { true } else if case .listAlone = $0 { true } else { nil } } ?? false
    }
}
