import AccessControl

/// One fact about a token that the running configuration can ask for, as one bit.
///
/// Facts are numbered once per configuration; a token has few of them, so a record keeps only the nonzero words.
struct TokenAtom: Hashable, Sendable {
    let word: UInt32
    let bit: UInt64

    init(number: Int) {
        word = UInt32(truncatingIfNeeded: number / 64)
        bit = 1 &<< UInt64(number % 64)
    }
}

/// Several facts, by the words they are in.
struct TokenAtoms: Hashable, Sendable {
    struct Word: Hashable, Sendable {
        let index: UInt32
        var bits: UInt64
    }

    /// Ascending, none zero.
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
