/// A mapping whose keys are known.
struct Section<Key: ConfigurationKey> {
    let value: Value
    private let members: [String: Value]

    /// Reports unknown keys; nil if the value is no mapping.
    ///
    /// - Parameters:
    ///   - known: the names of the mapping, if it has others than these keys.
    ///   - misplaced: what to do about a key that is known, but not here.
    init?(_ value: Value, of keys: Key.Type, known: [String] = Key.names, misplaced: (String) -> String? = { _ in nil })
    {
        guard let members = value.members(hint: { MeantMapping(value, of: Key.self).hint }) else { return nil }
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
        self.init(value, members: found)
    }

    private init(_ value: Value, members: [String: Value]) {
        self.value = value
        self.members = members
    }

    /// The same mapping, asked for other keys of it.
    func part<Other: ConfigurationKey>(_ keys: Other.Type) -> Section<Other> {
        Section<Other>(value, members: members)
    }

    subscript(key: Key) -> Value? { members[key.rawValue] }

    /// A key that no enum has, but the table of an issuer's profile.
    subscript(parameter name: String) -> Value? { members[name] }

    /// Reports the key's absence.
    func required(_ key: Key) -> Value? {
        if let value = members[key.rawValue] { return value }
        value.reportMissing("`\(key.rawValue)` is missing", hint: key.reference.absence.hint)
        return nil
    }

    private static func hint(for key: String, keys: [String], _ reading: Reading) -> String {
        let (advice, section) = (reading.advice, Key.section.title)
        if let nearest = NearestName.of(key, among: keys) {
            // `roles` is near `rules`, but a word of its own; `timeout` is `timeouts`.
            let isBeginning = nearest.hasPrefix(key) || key.hasPrefix(nearest)
            return (isBeginning ? nil : advice.word(key, section, keys)) ?? "did you mean `\(nearest)`?"
        }
        return advice.word(key, section, keys) ?? advice.elsewhere(key, section)
            ?? "known here: \(keys.joined(separator: ", "))"
    }
}

// MARK: Values in the form that the key has

extension Section {
    /// - Parameter read: reports what is wrong and then returns nil.
    func read<Result>(_ key: Key, _ read: (Value) -> Result?) -> Read<Result> {
        self[key].map { Read(read($0)) } ?? .absent
    }

    func boolean(_ key: Key) -> Read<Bool> {
        read(key) { $0.boolean() }
    }

    func integer(_ key: Key) -> Read<Int> {
        read(key, { if case .integer(let range) = $0 { range } else { nil } }, { $0.integer(in: $1) })
    }

    func duration(_ key: Key) -> Read<Duration> {
        read(key, { if case .duration(let range) = $0 { range } else { nil } }, { $0.duration(in: $1) })
    }

    /// In bytes.
    func byteCount(_ key: Key) -> Read<Int> {
        read(key, { if case .size(let range) = $0 { range } else { nil } }, { $0.byteCount(in: $1) })
    }

    func word<Word: RawRepresentable<String> & CaseIterable>(_ key: Key, _ type: Word.Type) -> Read<Word> {
        read(key) { $0.word(type) }
    }

    /// `off` is nil: no bound.
    func orOff<Bound>(_ key: Key, _ read: (Key) -> Read<Bound>) -> Read<Bound?> {
        self[key]?.isOff == true ? .value(nil) : read(key).map { $0 }
    }

    /// Reads a value within the bounds that the key's form states; a form without them refuses every value.
    private func read<Bound>(
        _ key: Key, _ range: (ValueForm) -> ClosedRange<Bound>?, _ read: (Value, ClosedRange<Bound>) -> Bound?
    ) -> Read<Bound> {
        self.read(key) { value in
            guard let bounds = key.reference.form.first(range) else {
                value.report("`\(key.rawValue)` has no bounds; report this as a defect of bearward")
                return nil
            }
            return read(value, bounds)
        }
    }
}
