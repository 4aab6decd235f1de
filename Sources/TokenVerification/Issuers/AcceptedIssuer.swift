/// An issuer that a resource trusts.
public struct AcceptedIssuer: Sendable, Hashable {
    public let issuer: IssuerIndex
    /// All accepted values of `aud`. If empty, no token of the issuer is accepted.
    public let audiences: [String]
    /// Template for the names that clients use to request this resource's scopes from the issuer. Nil if the issuer's
    /// own template applies.
    public let scopeTemplate: ScopeTemplate?

    public init(issuer: IssuerIndex, audiences: [String], scopeTemplate: ScopeTemplate? = nil) {
        self.issuer = issuer
        self.audiences = audiences
        self.scopeTemplate = scopeTemplate
    }
}
