import JOSE
import ProxySettings

extension LogRedaction: Defaulted {
    static var defaults: Self { Self() }
}

/// Configuration keys of `redact`.
final class RedactionKeys: SectionKeys {
    static let section = SectionReference(
        "redact", "Redaction of the access log and of spans.", of: RedactionKeys.self)

    private static let text = words(["hash": LogRedaction.Text.hashed, "drop": .dropped])
    private static let shown = KeyAbsence.meaning("it is shown")

    let subject = Setting(
        "subject", \LogRedaction.subject, RedactionKeys.text, without: RedactionKeys.shown, "The token's `sub`.",
        example: "hash")
    let clientID = Setting(
        "client_id", \LogRedaction.clientID, RedactionKeys.text, without: RedactionKeys.shown,
        "The client that the token was issued to.", example: "hash")
    let tokenID = Setting(
        "token_id", \LogRedaction.tokenID, RedactionKeys.text, without: RedactionKeys.shown, "The token's `jti`.",
        example: "drop")
    let scopes = RedactionKeys.chosen("scopes", \LogRedaction.scopes, "The token's scopes.", example: "hash")
    let actor = RedactionKeys.chosen("actor", \LogRedaction.actor, "The token's `act.sub`.", example: "hash")
    let tenant = RedactionKeys.chosen("tenant", \LogRedaction.tenant, "The token's tenant.", example: "hash")
    let organization = RedactionKeys.chosen(
        "organization", \LogRedaction.organization, "The token's organization.", example: "hash")
    let claims = RedactionKeys.chosen(
        "claims", \LogRedaction.claims, "Each claim that `access_log` names.", example: "hash")
    let detail = Setting(
        "detail", \LogRedaction.detail, RedactionKeys.text, without: RedactionKeys.shown,
        "What a refusal says beside its reason; it can name clients.", example: "drop")
    let client = Setting(
        "client", \LogRedaction.client, RedactionKeys.text, without: RedactionKeys.shown,
        "The client's address.", example: "hash")
    let userAgent = Setting(
        "user_agent", \LogRedaction.userAgent, RedactionKeys.text, without: RedactionKeys.shown,
        "The `User-Agent` field, which spans have.", example: "drop")
    let path = Setting(
        "path", \LogRedaction.path, RedactionKeys.words(["rule": LogRedaction.Path.rule, "drop": .dropped]),
        without: RedactionKeys.shown, "The path; `rule` shows the rule that matched instead.", example: "rule")
    let keyFile = Setting(
        "key_file", \LogRedaction.key,
        KeyForm(.text("a path")) { $0.secret(called: "key", in: Pseudonyms.shortestSecret...4096) },
        without: .meaning("a key is drawn at each start"),
        "The key of the hashes, so that they stay the same over restarts and gateways.", example: "./redact-key")

    /// Key of a member that is logged only if `access_log` chooses it.
    private static func chosen(
        _ name: String, _ property: any WritableKeyPath<LogRedaction, LogRedaction.Text> & Sendable, _ text: String,
        example: String
    ) -> Setting<LogRedaction, LogRedaction.Text> {
        Setting(
            name, property, RedactionKeys.text, without: .meaning("it is shown, if `access_log` chooses it"), text,
            example: example)
    }

    private static func words<Shown: Sendable>(_ words: KeyValuePairs<String, Shown>) -> KeyForm<Shown> {
        let names = words.map(\.key)
        let expected = names.map { "`\($0)`" }.joined(separator: " or ")
        return KeyForm(.words(names)) { value in
            guard let text = value.text(expected: expected) else { return nil }
            guard let word = words.first(where: { $0.key == text }) else {
                return value.refuse(
                    "`\(text)` is not known here", hint: "write \(expected); without the key it is shown")
            }
            return word.value
        }
    }
}
