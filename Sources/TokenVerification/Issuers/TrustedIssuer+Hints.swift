import StrictJSON

extension TrustedIssuer {
    /// What an operator should know about the refusal of a token, where it is usually somebody's mistake.
    ///
    /// - Parameter claims: what the token says, proved or not; nil for an opaque one.
    public func hint(for rejection: TokenRejection, claims: ClaimsSet?, keyID: String? = nil) -> String? {
        if rejection == .unknownKeyID, let keyID, deniedKeys.contains(keyID) { return Self.deniedKey }
        return hints.first { hint in
            guard hint.rejection == rejection else { return false }
            guard let condition = hint.condition else { return true }
            return claims.map { condition.holds(for: $0) } ?? false
        }?.text
    }

    private static let deniedKey = "The key is listed in denied_keys."

    /// What an operator should know about the refusal of an opaque token.
    ///
    /// - Parameter answer: what the issuer said of it; nil: nothing.
    public func hint(for rejection: TokenRejection, ofOpaque answer: ClaimsSet?) -> String? {
        guard let answer else { return hint(for: rejection, claims: nil) }
        switch rejection {
        case .audienceMismatch where answer.json[member: "aud"] == nil: return Self.opaqueClient
        case .notAccessToken
        where !OpaqueTokenKind(answer: answer).hasTokenType && OpaqueTokenKind(answer: answer).mayBeAccessToken:
            return Self.opaqueKind
        default: return hint(for: rejection, claims: answer)
        }
    }

    /// For an opaque token whose issuer named neither an audience nor a client that is wanted.
    private static let opaqueClient =
        "The issuer's answer names no audience, and its client is not in opaque.introspect.clients."
    /// For one that may be a refresh token.
    private static let opaqueKind =
        "The issuer's answer has no token_type and names no audience but the client, as answers about refresh tokens do: "
        + "send the access token, or have the issuer say token_type or name this API in aud."
}
