import StrictJSON

/// Kind of an opaque token, from the issuer's answer: endpoints also answer about refresh and ID tokens (RFC 7662
/// §2.1).
///
/// For each member a closed list of values marks an access token. Any other value marks another token.
struct OpaqueTokenKind {
    let answer: ClaimsSet

    /// `token_type`: `Bearer` (RFC 6750 §4), as most systems say; `access_token`, the name of RFC 7009 §2.1, as Duende
    /// IdentityServer says; the identifier of RFC 8693 §3. Not `DPoP` and the like: they are bound to a key of their
    /// holder.
    static let tokenTypes: Set<String> = ["bearer", "access_token", "urn:ietf:params:oauth:token-type:access_token"]
    /// `token_use`: `access_token` (Ory Hydra, which also has `refresh_token`) and `access` (Amazon Cognito, which also
    /// has `id`).
    static let tokenUses: Set<String> = ["access_token", "access"]
    /// `typ`: `Bearer` (Keycloak, which also has `ID`, `Refresh`, `Offline` and `Logout`), RFC 9068's, and `JWT`, which
    /// tells nothing.
    static let types: Set<String> = ["bearer", "at+jwt", "application/at+jwt", "jwt"]

    /// Whether nothing in the answer marks another kind of token.
    ///
    /// `events` marks a security event or logout token (RFC 8417 §2.2).
    var mayBeAccessToken: Bool {
        isAbsentOrListed("token_type", Self.tokenTypes) && isAbsentOrListed("token_use", Self.tokenUses)
            && isAbsentOrListed("typ", Self.types) && answer.json[member: "events"] == nil
    }

    /// Whether the answer states the type that only access tokens have (RFC 6749 §5.1): refresh tokens are of none.
    var hasTokenType: Bool { answer.json[member: "token_type"] != nil }

    /// Token types are compared without regard to case (RFC 6749 §5.1).
    private func isAbsentOrListed(_ member: String, _ list: Set<String>) -> Bool {
        guard let value = answer.json[member] else { return true }
        return value.string.map { list.contains($0.lowercased()) } ?? false
    }
}
