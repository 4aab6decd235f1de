extension TrustedIssuer {
    /// What an operator should know about the refusal of a token, where it is usually a mistake of somebody's.
    ///
    /// - Parameter claims: what the token says, proved or not; nil for an opaque one.
    public func hint(for rejection: TokenRejection, claims: ClaimsSet?, keyID: String? = nil) -> String? {
        if rejection == .unknownKeyID, let keyID, deniedKeyIDs.contains(keyID) { return Self.deniedKey }
        return hints.first { hint in
            guard hint.rejection == rejection else { return false }
            guard let condition = hint.condition else { return true }
            return claims.map { condition.holds(for: $0) } ?? false
        }?.text
    }

    private static let deniedKey = "The key is listed in denied_keys."
    /// For an opaque token whose issuer named neither an audience nor a client that is wanted.
    public static let opaqueClient = "The issuer's answer names no audience, and its client is not in opaque.introspect.clients."
}
