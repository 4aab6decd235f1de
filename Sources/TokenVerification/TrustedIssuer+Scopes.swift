extension TrustedIssuer {
    /// The scopes in a claims set, in its order, without the prefix that the issuer puts before them.
    public func scopes(in claims: ClaimsSet) -> [String] {
        let scopes = claims.strings(in: scopeClaims)
        guard !scopePrefix.isEmpty else { return scopes }
        return scopes.filter { $0.utf8.starts(with: scopePrefix.utf8) }.map {
            String($0.utf8.dropFirst(scopePrefix.utf8.count)) ?? ""
        }
    }
}
