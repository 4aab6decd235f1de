/// Finds a field name in the closed table by its hash, then by its bytes.
struct KnownFieldTable: Sendable {
    static let standard = KnownFieldTable()

    /// By byte: the folded form of a token character, or zero for any other byte.
    let foldedTokens = (UInt8.min...UInt8.max).map { ASCII.isToken($0) ? ASCII.folded($0) : 0 }

    /// An open-addressed table: a field's raw value and one, or zero for an empty slot.
    private var slots = [UInt8](repeating: 0, count: 256)

    /// By raw value: the hash of the name.
    private var hashes: [UInt32] = []

    /// By raw value: where the name ends in `spellings` and `letters`; it begins where the one before ends.
    private var ends: [Int] = []

    /// The names as nearly everybody writes them, and in lower case.
    private var spellings: [UInt8] = []
    private var letters: [UInt8] = []

    private init() {
        for known in KnownField.allCases {
            let name = FieldName(known)
            spellings.append(contentsOf: name.spelling)
            letters.append(contentsOf: name.lowercased)
            ends.append(letters.count)
            hashes.append(name.hash)
            var slot = Int(name.hash & 0xFF)
            while slots[slot] != 0 { slot = (slot &+ 1) & 0xFF }
            slots[slot] = known.rawValue &+ 1
        }
    }

    /// Spelling of a name that was found.
    enum Match {
        /// In any case.
        case name(KnownField)
        /// With another character for `-`: a lax reader could take it for the field.
        case lookAlike(KnownField)

        /// The field whose name it is, or could be taken for.
        var field: KnownField {
            switch self {
            case .name(let field), .lookAlike(let field): field
            }
        }
    }

    /// The name of a field in lower case.
    func letters(of known: KnownField) -> ArraySlice<UInt8> {
        let index = Int(known.rawValue)
        // in bounds: every field has an end
        return letters[(index == 0 ? 0 : ends[index &- 1])..<ends[index]]
    }

    func entry(hash: UInt32, name: Span<UInt8>) -> Match? {
        var slot = Int(hash & 0xFF)
        while slots[slot] != 0 {
            let index = Int(slots[slot] &- 1)
            // in bounds: what is in a slot is the place of a field that has a hash
            if hashes[index] == hash, let known = KnownField(rawValue: slots[slot] &- 1),
                let match = match(index, known, name)
            {
                return match
            }
            slot = (slot &+ 1) & 0xFF
        }
        return nil
    }

    private func match(_ entry: Int, _ known: KnownField, _ name: Span<UInt8>) -> Match? {
        let start = entry == 0 ? 0 : ends[entry &- 1]
        guard name.count == ends[entry] &- start else { return nil }
        let range = start..<ends[entry]
        if name.equals(spellings.span.extracting(range)) || name.equals(letters.span.extracting(range)) {
            return .name(known)
        }
        var isLookAlike = false
        for index in name.indices {
            guard ASCII.folded(name[index]) == letters[start &+ index] else { return nil }
            isLookAlike = isLookAlike || ASCII.lowercased(name[index]) != letters[start &+ index]
        }
        return isLookAlike ? .lookAlike(known) : .name(known)
    }
}
