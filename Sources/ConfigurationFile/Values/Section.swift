/// A mapping whose keys are known.
struct Section {
    let value: Value
    private let members: [String: Value]

    /// Reports unknown keys; nil if the value is no mapping.
    ///
    /// - Parameter misplaced: what to do about a key that is known, but not here.
    init?(_ value: Value, keys: [String], misplaced: (String) -> String? = { _ in nil }) {
        guard let members = value.members() else { return nil }
        self.value = value
        var known: [String: Value] = [:]
        for member in members {
            if keys.contains(member.key) {
                known[member.key] = member.value
            } else {
                member.reportKey("unknown key", hint: misplaced(member.key) ?? Self.hint(for: member.key, keys: keys))
            }
        }
        self.members = known
    }

    subscript(key: String) -> Value? { members[key] }

    /// Reports the key's absence.
    func required(_ key: String, hint: String) -> Value? {
        guard let value = members[key] else {
            value.reportMissing("`\(key)` is missing", hint: hint)
            return nil
        }
        return value
    }

    private static func hint(for key: String, keys: [String]) -> String {
        NearestName.of(key, among: keys).map { "did you mean `\($0)`?" } ?? "known here: \(keys.joined(separator: ", "))"
    }
}
