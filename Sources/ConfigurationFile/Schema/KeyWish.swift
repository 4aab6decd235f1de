/// A word by which operators know something from other gateways and libraries, and what there is for it here.
struct KeyWish: Sendable {
    enum Answer: Sendable {
        /// A key of a section.
        case key(String, of: SectionReference)
        /// The row of `docs/not-supported.md`, from its beginning.
        case unsupported(String)
    }

    let words: [String]
    let answer: Answer
    /// What the key alone does not say; the end of a sentence.
    let note: String?

    /// - Parameter words: separated by spaces.
    static func at<Keys: SectionKeys>(
        _ key: KeyPath<Keys, some SectionKey>, _ words: String, note: String? = nil
    ) -> KeyWish {
        KeyWish(words: split(words), answer: .key(Keys()[keyPath: key].name, of: Keys.section), note: note)
    }

    /// A key of every issuer.
    static func at(issuer key: KeyPath<IssuerKeys, some SectionKey>, _ words: String) -> KeyWish {
        let name = IssuerKeys()[keyPath: key].name
        return KeyWish(words: split(words), answer: .key(name, of: GenericIssuerKeys.section), note: nil)
    }

    static func unsupported(_ row: String, _ words: String) -> KeyWish {
        KeyWish(words: split(words), answer: .unsupported(row), note: nil)
    }

    private static func split(_ words: String) -> [String] { words.split(separator: " ").map(String.init) }

    /// What is meant by a key in a section, named by its title: rather something of that section than what the word
    /// usually means.
    static func of(_ key: String, in section: String) -> KeyWish? {
        guard let wishes = byWord[normalized(key)] else { return nil }
        return wishes.first { if case .key(_, let owner) = $0.answer { owner.title == section } else { false } }
            ?? wishes.first
    }

    private static let byWord = all.reduce(into: [String: [KeyWish]]()) { table, wish in
        for word in wish.words { table[word, default: []].append(wish) }
    }

    /// In lower case with `_` between words: `rateLimit`, `rate-limit` and `rate_limit` are one.
    private static func normalized(_ key: String) -> String {
        var word = ""
        for character in key.prefix(64) {
            if character == "-" {
                word.append("_")
            } else {
                if character.isUppercase, let last = word.last, last != "_", !last.isNumber { word.append("_") }
                word += character.lowercased()
            }
        }
        return word
    }
}
