import StrictJSON

extension TrustedIssuer {
    /// Advice for the operator about the rejection of a token, if the cause is a common mistake.
    ///
    /// - Parameter claims: the token's claims, verified or not. Nil for an opaque token.
    public func hint(for rejection: TokenRejection, claims: ClaimsSet?, keyID: String? = nil) -> String? {
        if rejection == .unknownKeyID, let keyID, deniedKeys.contains(keyID) { return Self.deniedKey }
        return hints.first { hint in
            guard hint.rejection == rejection else { return false }
            guard let condition = hint.condition else { return true }
            return claims.map { condition.holds(for: $0) } ?? false
        }?.text
    }

    private static let deniedKey = "The key is listed in denied_keys."

    /// Advice for the operator about the rejection of an opaque token.
    ///
    /// - Parameter answer: the issuer's answer about it. Nil if there was none.
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

    /// Advice for an opaque token whose issuer named neither an audience nor an accepted client.
    private static let opaqueClient =
        "The issuer's answer names no audience, and its client is not in opaque.introspect.clients."
    /// Advice for an opaque token that may be a refresh token.
    private static let opaqueKind =
        "The issuer's answer has no token_type and names no audience but the client, as answers about refresh tokens do: "
        + "send the access token, or have the issuer add token_type, or this API to aud."
}
