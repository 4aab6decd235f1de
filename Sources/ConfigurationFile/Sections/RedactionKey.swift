/// The keys of `redact`.
enum RedactionKey: String, ConfigurationKey {
    case subject
    case clientID = "client_id"
    case tokenID = "token_id"
    case detail, path
    case keyFile = "key_file"

    static let section = SectionReference(
        "redact", "What the access log does not show as it is.", of: RedactionKey.self)

    private static let words = ValueForm.words(["hash", "drop"])
    private static let shown = KeyAbsence.meaning("it is shown")

    var reference: KeyReference {
        switch self {
        case .subject: KeyReference(Self.words, Self.shown, "The token's `sub`.", example: "hash")
        case .clientID:
            KeyReference(Self.words, Self.shown, "The client that the token was issued to.", example: "hash")
        case .tokenID: KeyReference(Self.words, Self.shown, "The token's `jti`.", example: "drop")
        case .detail:
            KeyReference(
                Self.words, Self.shown, "What a refusal says beside its reason; it can name clients.", example: "drop")
        case .path:
            KeyReference(
                .words(["rule", "drop"]), Self.shown, "The path; `rule` shows the rule that matched instead.",
                example: "rule")
        case .keyFile:
            KeyReference(
                .text("a path"), .meaning("a key is drawn at each start"),
                "The key of the hashes, so that they stay the same over restarts and gateways.", example: "./redact-key"
            )
        }
    }
}
