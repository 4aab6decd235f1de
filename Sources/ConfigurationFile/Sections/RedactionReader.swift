import ProxySettings

/// Reads `redact`: the redaction of the access log.
enum RedactionReader {
    static func read(_ value: Value) -> LogRedaction? {
        guard let section = Section(value, of: RedactionKeys.self) else { return nil }
        var redaction = LogRedaction()
        section.assign(to: &redaction)
        if redaction.clientID != .shown, redaction.detail == .shown {
            section[\.clientID]?.warn(
                "`detail` contains `aud`, which can be the client ID", hint: "write `detail: drop` too")
        }
        if redaction.scopes != .shown, redaction.detail == .shown {
            section[\.scopes]?.warn("`detail` contains scopes", hint: "write `detail: drop` too")
        }
        if !redaction.hashes {
            section[\.keyFile]?.warn(
                "nothing is hashed, so no key is used", hint: "write `hash` for what is to be hashed under it")
        }
        return redaction
    }
}
