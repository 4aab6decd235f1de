/// What is known of a file's keys as a whole, for hints. Sections are named by their titles.
///
/// It is a value so that a section is read without knowing the others.
struct KeyAdvice {
    /// What to do about a key that a section does not have, and that is a well-known word. Nil for every other key.
    let word: (_ key: String, _ section: String, _ known: [String]) -> String?
    /// Where a key of this name stands that a section does not have. Nil if it stands nowhere.
    let elsewhere: (_ key: String, _ section: String) -> String?
    /// The example of a key in whose value a section stands.
    let example: (_ key: String, _ section: String) -> String?

    /// For a file of which nothing more is known than what each section says.
    static var none: KeyAdvice {
        KeyAdvice(word: { _, _, _ in nil }, elsewhere: { _, _ in nil }, example: { _, _ in nil })
    }
}
