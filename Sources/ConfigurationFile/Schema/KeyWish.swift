/// Key names that operators know from other gateways and libraries, with the answer for this gateway's file.
struct KeyWish: Sendable {
    enum Answer: Sendable {
        /// Key of a section here.
        case key(String, of: SectionReference)
        /// Nothing: the feature is not supported. The text is the beginning of its row in `docs/not-supported.md`.
        case unsupported(String)
    }

    let words: [String]
    let answer: Answer
    /// Addition to the hint, at the end of its sentence. Nil if the key alone says enough.
    let note: String?

    /// Makes an entry for a key of a section.
    ///
    /// - Parameter words: words, separated by spaces.
    static func at<Keys: SectionKeys>(
        _ key: KeyPath<Keys, some SectionKey>, _ words: String, note: String? = nil
    ) -> KeyWish {
        KeyWish(words: split(words), answer: .key(Keys()[keyPath: key].name, of: Keys.section), note: note)
    }

    /// Makes an entry for a key that every issuer has.
    static func at(issuer key: KeyPath<IssuerKeys, some SectionKey>, _ words: String) -> KeyWish {
        let name = IssuerKeys()[keyPath: key].name
        return KeyWish(words: split(words), answer: .key(name, of: GenericIssuerKeys.section), note: nil)
    }

    static func unsupported(_ row: String, _ words: String) -> KeyWish {
        KeyWish(words: split(words), answer: .unsupported(row), note: nil)
    }

    private static func split(_ words: String) -> [String] { words.split(separator: " ").map(String.init) }

    /// Entry for a key name written in a section, which is named by its title. An entry for a key of that section is
    /// preferred over the word's usual meaning. Nil if the name is not a known word.
    static func of(_ key: String, in section: String) -> KeyWish? {
        guard let wishes = byWord[normalized(key)] else { return nil }
        return wishes.first { if case .key(_, let owner) = $0.answer { owner.title == section } else { false } }
            ?? wishes.first
    }

    private static let byWord = all.reduce(into: [String: [KeyWish]]()) { table, wish in
        for word in wish.words { table[word, default: []].append(wish) }
    }

    /// Word in lower case with `_` between its parts, so that `rateLimit`, `rate-limit` and `rate_limit` are equal.
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
