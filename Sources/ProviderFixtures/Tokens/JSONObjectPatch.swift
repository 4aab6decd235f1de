import StrictJSON

/// A change of a JSON object: members to remove and members to set.
///
/// Members are replaced as a whole. A member that is an object itself is not merged.
public struct JSONObjectPatch: Sendable {
    private let set: [(name: String, value: JSONValue)]
    private let unset: [String]

    /// Makes a change.
    ///
    /// - Parameter set: an object with the members to set. Any other value sets none.
    public init(set: JSONValue? = nil, unset: [String] = []) {
        self.set = set.map { object in object.members.map { member in (member.name, member.value) } } ?? []
        self.unset = unset
    }

    /// Returns the changed object. Members keep their order; new ones are appended.
    public func applied(to base: JSONValue) -> JSONValue {
        var members = base.members.map { member in (name: member.name, value: member.value) }
        members.removeAll { member in unset.contains { name in Self.equal(name, member.name) } }
        for change in set {
            if let index = members.firstIndex(where: { member in Self.equal(member.name, change.name) }) {
                members[index].value = change.value
            } else {
                members.append(change)
            }
        }
        return Self.object(of: members)
    }

    private static func object(of members: [(name: String, value: JSONValue)]) -> JSONValue {
        let bytes = JSONObjectWriter.object { writer, bytes in
            for member in members { writer.member(member.name, value: member.value, into: &bytes) }
        }
        return SampleText.object(bytes)
    }

    /// Compares names byte by byte, so that Unicode equivalents are different members.
    private static func equal(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }
}

extension JSONObjectPatch {
    /// Makes a change that sets one member to a text.
    init(set name: String, to text: String) {
        self.init(set: SampleText.object(JSONObjectWriter.object { $0.member(name, string: text, into: &$1) }))
    }
}
