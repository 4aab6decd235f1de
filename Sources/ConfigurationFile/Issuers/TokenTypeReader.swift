import TokenVerification

/// Reads `token_type`: the rule that distinguishes an issuer's access tokens from its other tokens.
enum TokenTypeReader {
    static let forms = "`at+jwt` (RFC 9068), `{claim: NAME, value: VALUE}`, or `any`, which takes ID tokens too"
    static let narrowForms = "`at+jwt`, or `{claim: NAME, value: VALUE}` for what only its access tokens have"

    static func read(_ value: Value) -> TokenTypeRule? {
        guard !value.isMapping else { return claimRule(value) }
        guard let text = value.text(expected: forms) else { return nil }
        switch text {
        case "at+jwt": return .accessTokenJWT
        case "any":
            value.warn(
                "any token that this issuer signs for the audience is accepted, an ID token too",
                hint: "write \(narrowForms)", weakens: .tokenType)
            return .any
        default:
            return value.refuse("`\(text)` is not known here", hint: "write \(forms)")
        }
    }

    private static func claimRule(_ value: Value) -> TokenTypeRule? {
        guard let section = Section(value, of: TokenTypeKeys.self) else { return nil }
        let claim = section.required(\.claim)
        guard let values = section.required(\.value) else { return nil }
        guard let scalars = values.readEach({ $0.claimScalar(of: claim) }), let claim else { return nil }
        return .claims([.oneOf(claim, scalars)])
    }
}
