/// The key of texts that are compared as they are written.
final class TextKeys: SectionKeys {
    static let section = SectionReference(
        "Texts", "Texts that are meant as they are written, although they have a `*`.", of: TextKeys.self)

    let text = Key(
        "text", KeyForm(.list(.text("text"))) { $0.someElements(of: "text") },
        .refused(hint: "write {text: \"orders:*\"}"), "Each stands for itself: a `*` is no pattern.",
        example: "\"orders:*\"")

    static func list(_ what: String) -> ValueForm { .list(.oneOf([.text(what), .section(section)])) }
}

extension KeyForm where Result == [String] {
    /// Texts that those of a token are compared with.
    ///
    /// - Parameter name: what an element of the list is called.
    static func compared(_ what: String, of name: String, _ advice: PatternAdvice) -> KeyForm {
        KeyForm(TextKeys.list(what)) { $0.comparedTexts(of: name)?.warned(advice) }
    }
}
