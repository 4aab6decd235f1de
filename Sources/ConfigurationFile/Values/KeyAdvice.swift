/// Advice for hints that needs all sections of a file. Sections are named by their titles.
///
/// It is a value so that a section is read without knowing the others.
struct KeyAdvice {
    /// Advice for an unknown key that is a well-known word. Nil for every other key.
    let word: (_ key: String, _ section: String, _ known: [String]) -> String?
    /// Location of a key with this name that the section does not have. Nil if no section has it.
    let elsewhere: (_ key: String, _ section: String) -> String?
    /// Example value of the key, if that value is the named section. Nil if no key with this name leads to the section.
    let example: (_ key: String, _ section: String) -> String?

    /// Advice for a file whose other sections are not known.
    static var none: KeyAdvice {
        KeyAdvice(word: { _, _, _ in nil }, elsewhere: { _, _ in nil }, example: { _, _ in nil })
    }
}
