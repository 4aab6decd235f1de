import AccessControl

/// A fact about a token that the running configuration can ask about, as one bit.
///
/// Facts are numbered once per configuration. A token has few of them, so a record stores only the nonzero words.
struct TokenAtom: Hashable, Sendable {
    let word: UInt32
    let bit: UInt64

    init(number: Int) {
        word = UInt32(truncatingIfNeeded: number / 64)
        bit = 1 &<< UInt64(number % 64)
    }
}

/// A set of facts, stored as the nonzero words of their bits.
struct TokenAtoms: Hashable, Sendable {
    struct Word: Hashable, Sendable {
        let index: UInt32
        var bits: UInt64
    }

    /// The words in ascending order of their index; none is zero.
    private(set) var words: [Word] = []

    init(_ atoms: some Sequence<TokenAtom>) {
        for atom in atoms { insert(atom) }
    }

    mutating func formUnion(_ other: TokenAtoms) {
        for word in other.words { insert(word) }
    }

    mutating func insert(_ atom: TokenAtom) {
        insert(Word(index: atom.word, bits: atom.bit))
    }

    private mutating func insert(_ word: Word) {
        guard let place = words.firstIndex(where: { $0.index >= word.index }) else { return words.append(word) }
        if words[place].index == word.index {
            words[place].bits |= word.bits
        } else {
            words.insert(word, at: place)
        }
    }
}
