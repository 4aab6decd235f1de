/// Finds a field name in the closed table by its hash, then by its bytes.
struct KnownFieldTable: Sendable {
    static let standard = KnownFieldTable()

    /// By byte: the folded form of a token character, or zero for any other byte.
    let foldedTokens = (UInt8.min...UInt8.max).map { ASCII.isToken($0) ? ASCII.folded($0) : 0 }

    /// An open-addressed table: a field's raw value and one, or zero for an empty slot.
    private var slots = [UInt8](repeating: 0, count: 256)

    /// By raw value: the hash of the name.
    private var hashes: [UInt32] = []

    /// By raw value: where the name in lower case ends in `letters`; it begins where the one before ends.
    private var ends: [Int] = []

    private var letters: [UInt8] = []

    private init() {
        for known in KnownField.allCases {
            let name = FieldName(known)
            letters.append(contentsOf: name.lowercased)
            ends.append(letters.count)
            hashes.append(name.hash)
            var slot = Int(name.hash & 0xFF)
            while slots[slot] != 0 { slot = (slot &+ 1) & 0xFF }
            slots[slot] = known.rawValue &+ 1
        }
    }

    /// The entry with this name in any case, `_` counting as `-`.
    func entry(hash: UInt32, name: Span<UInt8>) -> KnownField? {
        var slot = Int(hash & 0xFF)
        while slots[slot] != 0 {
            let index = Int(slots[slot] &- 1)
            if hashes[index] == hash, isName(index, name) { return KnownField(rawValue: slots[slot] &- 1) }
            slot = (slot &+ 1) & 0xFF
        }
        return nil
    }

    /// Whether a name has the character that makes a look-alike; no name in the table has it.
    static func containsUnderscore(_ name: Span<UInt8>) -> Bool {
        for index in name.indices where name[index] == ASCII.underscore { return true }
        return false
    }

    private func isName(_ entry: Int, _ name: Span<UInt8>) -> Bool {
        let start = entry == 0 ? 0 : ends[entry &- 1]
        guard name.count == ends[entry] &- start else { return false }
        for index in name.indices where ASCII.folded(name[index]) != letters[start &+ index] { return false }
        return true
    }
}
