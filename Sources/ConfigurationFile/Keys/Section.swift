/// The keys of a section with their list, which is made by reflection.
final class SectionTable<Keys: SectionKeys> {
    let keys = Keys()
    let all: [any SectionKey]
    let names: [String]

    private init() {
        all = keys.all
        names = all.map(\.name)
    }

    /// The one table for a file.
    static func of(_ reading: Reading) -> SectionTable { reading.table(of: Keys.self) { SectionTable() } }
}

/// A mapping whose keys are known.
struct Section<Keys: SectionKeys> {
    let value: Value
    private let table: SectionTable<Keys>
    private let members: [String: Value]

    /// Reports unknown keys; nil if the value is no mapping.
    ///
    /// - Parameters:
    ///   - known: the names of the mapping, if it has others than these keys.
    ///   - misplaced: what to do about a key that is known, but not here.
    init?(
        _ value: Value, of keys: Keys.Type, known: [String]? = nil, misplaced: (String) -> String? = { _ in nil }
    ) {
        guard let members = value.members(hint: { MeantMapping(value, of: Keys()).hint }) else { return nil }
        let table = SectionTable<Keys>.of(value.reading)
        let known = known ?? table.names
        var found: [String: Value] = [:]
        for member in members {
            if known.contains(member.key) {
                found[member.key] = member.value
            } else {
                member.reportKey(
                    "unknown key", hint: misplaced(member.key) ?? Self.hint(for: member.key, keys: known, value.reading)
                )
            }
        }
        self.init(value, table, members: found)
    }

    private init(_ value: Value, _ table: SectionTable<Keys>, members: [String: Value]) {
        self.value = value
        self.table = table
        self.members = members
    }

    /// The same mapping, asked for other keys of it.
    func part<Other: SectionKeys>(_ keys: Other.Type) -> Section<Other> {
        Section<Other>(value, SectionTable<Other>.of(value.reading), members: members)
    }

    subscript(key: KeyPath<Keys, some SectionKey>) -> Value? { members[name(of: key)] }

    func name(of key: KeyPath<Keys, some SectionKey>) -> String { table.keys[keyPath: key].name }

    /// A key that no section has, but the table of an issuer's profile.
    subscript(parameter name: String) -> Value? { members[name] }

    /// A value in the form that the key has. Reports the key's absence.
    func required<Result>(_ key: KeyPath<Keys, Key<Result>>) -> Result? {
        if let value = self[key] { return table.keys[keyPath: key].read(value) }
        reportMissing(table.keys[keyPath: key])
        return nil
    }

    private func reportMissing(_ key: some SectionKey) {
        value.reportMissing("`\(key.name)` is missing", hint: key.reference.absence.hint)
    }

    /// A value in the form that the key has; without one the key's default, if it has one.
    func read<Result>(_ key: KeyPath<Keys, Key<Result>>) -> Read<Result> {
        let key = table.keys[keyPath: key]
        return members[key.name].map { Read(key.read($0)) } ?? key.fallback()
    }

    /// - Parameter read: reports what is wrong and then returns nil.
    func read<Result>(_ key: KeyPath<Keys, Key<Value>>, _ read: (Value) -> Result?) -> Read<Result> {
        self[key].map { Read(read($0)) } ?? .absent
    }

    /// Sets what the keys that are there say of a target. What is wrong leaves it as it is.
    ///
    /// - Returns: whether nothing was wrong, and no required key of the target absent.
    @discardableResult
    func assign<Target>(to target: inout Target) -> Bool {
        var isRight = true
        for case let key as any TargetKey<Target> in table.all {
            if let value = members[key.name] {
                isRight = key.assign(value, to: &target) && isRight
            } else if key.reference.absence.isRefused {
                reportMissing(key)
                isRight = false
            }
        }
        return isRight
    }

    private static func hint(for key: String, keys: [String], _ reading: Reading) -> String {
        let (advice, section) = (reading.advice, Keys.section.title)
        if let nearest = NearestName.of(key, among: keys) {
            // `roles` is near `rules`, but a word of its own; `timeout` is `timeouts`.
            let isBeginning = nearest.hasPrefix(key) || key.hasPrefix(nearest)
            return (isBeginning ? nil : advice.word(key, section, keys)) ?? "did you mean `\(nearest)`?"
        }
        return advice.word(key, section, keys) ?? advice.elsewhere(key, section)
            ?? "known here: \(keys.joined(separator: ", "))"
    }
}

extension Value {
    /// A member of a mapping. Nil if there is none of this name, or if it is no mapping.
    func member<Keys: SectionKeys>(_ key: KeyPath<Keys, some SectionKey>) -> Value? {
        let name = Keys()[keyPath: key].name
        return isMapping ? members()?.first { $0.key == name }?.value : nil
    }
}
