extension TrustedIssuer {
    /// What an operator should know about the refusal of a token, where it is usually a mistake of somebody's.
    ///
    /// - Parameter claims: what the token says, proved or not; nil for an opaque one.
    public func hint(for rejection: TokenRejection, claims: ClaimsSet?) -> String? {
        hints.first { hint in
            guard hint.rejection == rejection else { return false }
            guard let condition = hint.condition else { return true }
            return claims.map { condition.holds(for: $0) } ?? false
        }?.text
    }
}
