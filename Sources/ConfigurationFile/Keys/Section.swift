/// Keys of a section as properties and as a list, which is made by reflection.
final class SectionTable<Keys: SectionKeys> {
    let keys = Keys()
    let all: [any SectionKey]
    let names: [String]

    private init() {
        all = keys.all
        names = all.map(\.name)
    }

    /// Table of the section; one is shared by all readers of a file.
    static func of(_ reading: Reading) -> SectionTable { reading.table(of: Keys.self) { SectionTable() } }
}

/// Mapping of the file, read by the keys of its section.
struct Section<Keys: SectionKeys> {
    let value: Value
    private let table: SectionTable<Keys>
    private let members: [String: Value]

    /// Reads a mapping and reports unknown keys. Nil if the value is not a mapping.
    ///
    /// - Parameters:
    ///   - known: permitted names, if they differ from the names of these keys.
    ///   - misplaced: advice for a key that belongs somewhere else.
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

    /// View of the same mapping through the keys of another section.
    func part<Other: SectionKeys>(_ keys: Other.Type) -> Section<Other> {
        Section<Other>(value, SectionTable<Other>.of(value.reading), members: members)
    }

    subscript(key: KeyPath<Keys, some SectionKey>) -> Value? { members[name(of: key)] }

    func name(of key: KeyPath<Keys, some SectionKey>) -> String { table.keys[keyPath: key].name }

    /// Value of a parameter of an issuer profile. Parameter names come from the profile's table and are not keys of a
    /// section. Nil if the parameter is absent.
    subscript(parameter name: String) -> Value? { members[name] }

    /// Reads the value of a key that must be present. Nil if the key is absent or its value invalid, which is reported.
    func required<Result>(_ key: KeyPath<Keys, Key<Result>>) -> Result? {
        if let value = self[key] { return table.keys[keyPath: key].read(value) }
        reportMissing(table.keys[keyPath: key])
        return nil
    }

    private func reportMissing(_ key: some SectionKey) {
        value.reportMissing("`\(key.name)` is missing", hint: key.reference.absence.hint)
    }

    /// Reads the value of a key. Without the key, its default is the value, if it has one.
    func read<Result>(_ key: KeyPath<Keys, Key<Result>>) -> Read<Result> {
        let key = table.keys[keyPath: key]
        return members[key.name].map { Read(key.read($0)) } ?? key.fallback()
    }

    /// Reads the value of a key with a reader of the caller.
    ///
    /// - Parameter read: reports what is wrong and then returns nil.
    func read<Result>(_ key: KeyPath<Keys, Key<Value>>, _ read: (Value) -> Result?) -> Read<Result> {
        self[key].map { Read(read($0)) } ?? .absent
    }

    /// Sets the properties of the target whose keys are written. An invalid value leaves its property unchanged.
    ///
    /// - Returns: true if no value was invalid and no required key was absent.
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
            // `roles` is near `rules`, but has advice of its own. `timeout` is the beginning of `timeouts`, so that is
            // meant.
            let isBeginning = nearest.hasPrefix(key) || key.hasPrefix(nearest)
            return (isBeginning ? nil : advice.word(key, section, keys)) ?? "did you mean `\(nearest)`?"
        }
        return advice.word(key, section, keys) ?? advice.elsewhere(key, section)
            ?? "known here: \(keys.joined(separator: ", "))"
    }
}

extension Value {
    /// Member of a mapping. Nil if there is none of this name, or if the value is not a mapping.
    func member<Keys: SectionKeys>(_ key: KeyPath<Keys, some SectionKey>) -> Value? {
        let name = Keys()[keyPath: key].name
        return isMapping ? members()?.first { $0.key == name }?.value : nil
    }
}
