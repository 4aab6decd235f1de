/// The key of texts that are compared as they are written.
enum TextKey: String, ConfigurationKey {
    case text

    static let section = SectionReference(
        "Texts", "Texts that are meant as they are written, although they have a `*`.", of: TextKey.self)

    static func list(_ what: String) -> ValueForm { .list(.oneOf([.text(what), .section(section)])) }

    var reference: KeyReference {
        KeyReference(
            .list(.text("text")), .refused(hint: "write {text: \"orders:*\"}"),
            "Each stands for itself: a `*` is no pattern.",
            example: "\"orders:*\"")
    }
}
