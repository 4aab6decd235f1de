import ByteWords
import NetworkNames

/// Finds a field name in the table of known fields by its hash, then by its bytes.
struct KnownFieldTable: Sendable {
    static let standard = KnownFieldTable()

    /// The folded form of each token character, indexed by byte. Zero for any other byte.
    let foldedTokens = (UInt8.min...UInt8.max).map { ASCII.isToken($0) ? ASCII.folded($0) : 0 }

    /// Open-addressed hash table. A slot holds a field's raw value plus one, or zero if empty.
    private var slots = [UInt8](repeating: 0, count: 256)

    /// Hash of each name, indexed by raw value.
    private var hashes: [UInt32] = []

    /// End of each name in `spellings` and `letters`, indexed by raw value. A name begins at the end of the previous
    /// one.
    private var ends: [Int] = []

    /// The names in their usual spelling (`spellings`) and in lower case (`letters`).
    private var spellings: [UInt8] = []
    private(set) var letters: [UInt8] = []

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

    /// Result of a successful lookup.
    enum Match {
        /// The field's own name, in any case.
        case name(KnownField)
        /// The field's name with another character for `-`. A lax reader could take it for the field.
        case lookAlike(KnownField)

        /// The field that the name is or resembles.
        var field: KnownField {
            switch self {
            case .name(let field), .lookAlike(let field): field
            }
        }
    }

    /// Range in `letters` of the name of a field in lower case.
    func letters(of known: KnownField) -> Range<Int> {
        let index = Int(known.rawValue)
        // in bounds: every field has an end
        return (index == 0 ? 0 : ends[index &- 1])..<ends[index]
    }

    func entry(hash: UInt32, name: Span<UInt8>) -> Match? {
        var slot = Int(hash & 0xFF)
        while slots[slot] != 0 {
            let index = Int(slots[slot] &- 1)
            // in bounds: a slot holds the index of a field that has a hash
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
