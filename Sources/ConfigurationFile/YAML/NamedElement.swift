/// An element of a list that stands where a mapping of names is expected.
enum NamedElement {
    /// The member that has its name, which is a key here: `- id: orders`.
    case member(String, name: String)
    /// Its name is its only key, so that all but the dash is right: `- orders: {…}`.
    case key(String)

    /// Members by which other files name what stands in a list.
    private static let members: Set<String> = ["name", "id", "key", "identifier", "resource", "scope"]

    /// The first element of a list. Nil if it has no name.
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

    /// Advice on what to write in place of the list.
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
