/// The mapping that was probably meant where a text or a list stands in a section's place.
struct MeantMapping {
    private let keys: [any SectionKey]
    private let naturalKeys: [any SectionKey]
    /// The section's.
    private let title: String
    private let value: Value
    /// The key that the value belongs to. Nil for an element of a list.
    private let name: String?
    /// Texts that are written, if they may be shown.
    private let texts: [String]

    /// The longest text that is repeated in a hint.
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

    /// Text of the environment may be secret, and so may what stands before an `@`.
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

    /// Keys of the section that are named in place of a mapping: `redact: [subject, path]`.
    private var named: String? {
        let keys = texts.compactMap { text in self.keys.first { $0.name == text } }
        guard !keys.isEmpty, keys.count == texts.count else { return nil }
        return keys.map { Self.member($0, $0.reference.example) }.joined(separator: ", ")
    }

    /// The key that a text alone stands for, and those that have to stand beside it.
    private var natural: String? {
        guard let key = naturalKeys.first(where: { takes($0.reference.form, ValueForm.accepts) }) else { return nil }
        return naturalInOrder.map { Self.member($0, $0.name == key.name ? shown(key) : $0.reference.example) }.joined(
            separator: ", ")
    }

    /// The first key whose form the text has, in a section that no text stands for by nature.
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

    /// As the key's own example has it; for a name of the operator's, or an element of a list, of the keys that have to
    /// be there.
    private var example: String? {
        if let name, let example = value.reading.advice.example(name, title) { return written(example) }
        let members = naturalInOrder.map { Self.member($0, $0.reference.example) }.joined(separator: ", ")
        return members.isEmpty ? nil : written("{\(members)}")
    }

    private func written(_ mapping: String) -> String { name.map { "\(FlowText.of($0)): \(mapping)" } ?? mapping }

    /// In the order of the section.
    private var naturalInOrder: [any SectionKey] {
        let names = naturalKeys.map(\.name)
        return keys.filter { names.contains($0.name) }
    }
}

extension ValueForm {
    /// Whether a text can be a value of this form, if that is what it is meant for.
    func accepts(_ text: String) -> Bool {
        switch self {
        case .text, .pattern, .claimValue: !Self.isLiteral(text)
        case .list(let element, _), .listAlone(let element): element.accepts(text)
        case .oneOf(let forms): forms.contains { $0.accepts(text) }
        case .words, .boolean, .integer, .duration, .size, .anything, .mapping, .section, .tagged: recognizes(text)
        }
    }

    /// Whether a text has this form and hardly another.
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

    /// Whether a text is no name, path or address of anything.
    private static func isLiteral(_ text: String) -> Bool {
        ["true", "yes", "on", "enabled"].contains(text.lowercased()) || Double(text) != nil
    }

    var isList: Bool {
        first { if case .list = $0 { true } else if case .listAlone = $0 { true } else { nil } } ?? false
    }
}
