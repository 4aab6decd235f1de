/// Key of texts that are compared literally.
final class TextKeys: SectionKeys {
    static let section = SectionReference(
        "Texts", "Texts that are compared literally, even with a `*`.", of: TextKeys.self)

    let text = Key(
        "text", KeyForm(.list(.text("text"))) { $0.someElements(of: "text") },
        .refused(hint: "write {text: \"orders:*\"}"), "Each text is compared literally: a `*` is not a pattern.",
        example: "\"orders:*\"")

    static func list(_ what: String) -> ValueForm { .list(.oneOf([.text(what), .section(section)])) }
}

extension KeyForm where Result == [String] {
    /// Form of texts that are compared with a text of a token.
    ///
    /// - Parameter name: noun for an element of the list.
    static func compared(_ what: String, of name: String, _ advice: PatternAdvice) -> KeyForm {
        KeyForm(TextKeys.list(what)) { $0.comparedTexts(of: name)?.warned(advice) }
    }
}
