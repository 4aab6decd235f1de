import ConfigurationFile
import StrictJSON
import TokenVerification

/// Builder of a JSON object: the members that a test states, completed by defaults for those it does not state.
struct StatedObject {
    private(set) var members: [StatedMember]

    init(_ members: [StatedMember] = []) {
        self.members = members
    }

    /// Copies the members of a parsed object. Empty for any other value.
    init(_ json: JSONValue) {
        members = json.members.map { StatedMember($0.name, StatedValue($0.value)) }
    }

    subscript(name: String) -> StatedValue? { members.first { Self.equal($0.name, name) }?.value }

    /// The text at a path. Nil if there is none.
    func text(at path: ClaimPath) -> String? {
        var value: StatedValue? = .object(members)
        for name in path.names {
            guard case .object(let members) = value else { return nil }
            value = StatedObject(members)[name]
        }
        guard case .string(let text) = value else { return nil }
        return text
    }

    mutating func set(_ name: String, to value: StatedValue) {
        if let index = members.firstIndex(where: { Self.equal($0.name, name) }) {
            members[index].value = value
        } else {
            members.append(StatedMember(name, value))
        }
    }

    mutating func set(_ changes: [StatedMember]) {
        for change in changes { set(change.name, to: change.value) }
    }

    /// Sets a nested member unless it is already stated. A stated value other than an object on the path, even null,
    /// prevents it. A level `*` becomes an array of one element.
    mutating func add(_ names: some BidirectionalCollection<String>, _ value: StatedValue) {
        if let level = names.indices.last(where: { names[$0] == "*" }) {
            var element = StatedObject()
            let inner = names[names.index(after: level)...]
            element.add(inner, value)
            return add(Array(names[..<level]), .array([inner.isEmpty ? value : .object(element.members)]))
        }
        guard let name = names.first else { return }
        let inner = names.dropFirst()
        guard !inner.isEmpty else { return self[name] == nil ? set(name, to: value) : () }
        var object: StatedObject
        switch self[name] {
        case nil: object = StatedObject()
        case .object(let members): object = StatedObject(members)
        default: return
        }
        object.add(inner, value)
        set(name, to: .object(object.members))
    }

    mutating func remove(_ names: [String]) {
        members.removeAll { member in names.contains { Self.equal($0, member.name) } }
    }

    /// JSON text. Members that are null are left out: a test states null to omit a default.
    var json: [UInt8] { StatedValue.object(members.filter { $0.value != .null }).json }

    /// Compares names byte by byte, so that Unicode equivalents are different members.
    private static func equal(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}

extension StatedValue {
    init(_ json: JSONValue) {
        self =
            switch json.kind {
            case .null: .null
            case .boolean: .boolean(json.boolean ?? false)
            case .integer: .integer(json.integer ?? 0)
            case .real: .real(json.real ?? 0)
            case .string: .string(json.string ?? "")
            case .array: .array(json.elements.map(StatedValue.init))
            case .object: .object(StatedObject(json).members)
            }
    }
}
