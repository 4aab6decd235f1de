import StrictJSON

/// Kind of an opaque token, from the issuer's answer: endpoints also answer about refresh and ID tokens (RFC 7662
/// §2.1).
///
/// For each member a closed list of values marks an access token. Any other value marks another token.
struct OpaqueTokenKind {
    let answer: ClaimsSet

    /// `token_type`: `Bearer` (RFC 6750 §4) from most systems; `access_token`, the name of RFC 7009 §2.1, from Duende
    /// IdentityServer; the identifier of RFC 8693 §3. Not `DPoP` or similar types: their tokens are bound to a key of
    /// the holder.
    static let tokenTypes: Set<String> = ["bearer", "access_token", "urn:ietf:params:oauth:token-type:access_token"]
    /// `token_use`: `access_token` (Ory Hydra, which also has `refresh_token`) and `access` (Amazon Cognito, which also
    /// has `id`).
    static let tokenUses: Set<String> = ["access_token", "access"]
    /// `typ`: `Bearer` (Keycloak, which also has `ID`, `Refresh`, `Offline` and `Logout`), the types of RFC 9068, and
    /// `JWT`, which says nothing about the kind.
    static let types: Set<String> = ["bearer", "at+jwt", "application/at+jwt", "jwt"]

    /// True if nothing in the answer marks another kind of token.
    ///
    /// `events` marks a security event or logout token (RFC 8417 §2.2).
    var mayBeAccessToken: Bool {
        isAbsentOrListed("token_type", Self.tokenTypes) && isAbsentOrListed("token_use", Self.tokenUses)
            && isAbsentOrListed("typ", Self.types) && answer.json[member: "events"] == nil
    }

    /// True if the answer has `token_type`. Only access tokens have a type (RFC 6749 §5.1); refresh tokens have none.
    var hasTokenType: Bool { answer.json[member: "token_type"] != nil }

    /// True if the member is absent or has a listed value. Token types are compared without regard to case (RFC 6749
    /// §5.1).
    private func isAbsentOrListed(_ member: String, _ list: Set<String>) -> Bool {
        guard let value = answer.json[member] else { return true }
        return value.string.map { list.contains($0.lowercased()) } ?? false
    }
}
