/// Element of a list that is written where a mapping of names is expected.
enum NamedElement {
    /// A member of the element holds the name, which must be a key: `- id: orders`.
    case member(String, name: String)
    /// The name is the element's only key, so only the dash is wrong: `- orders: {…}`.
    case key(String)

    /// Keys by which other programs' files name the elements of a list.
    private static let members: Set<String> = ["name", "id", "key", "identifier", "resource", "scope"]

    /// Reads the first element of a list. Nil if it has no name.
    init?(firstOf node: DocumentNode) {
        guard case .sequence(let elements) = node.content, let first = elements.first,
            case .mapping(let members) = first.content
        else {
            return nil
        }
        for member in members {
            guard Self.members.contains(member.key.lowercased()), case .scalar(let scalar) = member.value.content,
                !scalar.isSubstituted,
                !scalar.text.isEmpty
            else { continue }
            self = .member(member.key, name: FlowText.of(scalar.text))
            return
        }
        guard let only = members.first, members.count == 1, only.value.isMappingOrAbsent else { return nil }
        self = .key(FlowText.of(only.key))
    }

    /// Advice on what to write instead of the list.
    var hint: String {
        switch self {
        case .member(let member, let name): "names are keys: write `\(name): {…}` in place of `- \(member): \(name)`"
        case .key(let key): "names are keys: write `\(key): {…}` without the `-` before it"
        }
    }
}

extension DocumentNode {
    fileprivate var isMappingOrAbsent: Bool {
        switch content {
        case .mapping: true
        case .scalar(let scalar): scalar.isAbsent
        case .sequence, .unusable: false
        }
    }
}
