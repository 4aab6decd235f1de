/// An issuer that a resource trusts.
public struct AcceptedIssuer: Sendable, Hashable {
    public let issuer: IssuerIndex
    /// The complete list of what `aud` may be; with none, no token of the issuer is accepted.
    public let audiences: [String]
    /// Template for the names by which clients ask the issuer for this resource's scopes. Nil if the issuer's own
    /// template applies.
    public let scopeTemplate: ScopeTemplate?

    public init(issuer: IssuerIndex, audiences: [String], scopeTemplate: ScopeTemplate? = nil) {
        self.issuer = issuer
        self.audiences = audiences
        self.scopeTemplate = scopeTemplate
    }
}
