/// An issuer that a resource trusts.
public struct AcceptedIssuer: Sendable, Hashable {
    public let issuer: IssuerIndex
    /// The complete list of what `aud` may be; with none, no token of the issuer is accepted.
    public let audiences: [String]

    public init(issuer: IssuerIndex, audiences: [String]) {
        self.issuer = issuer
        self.audiences = audiences
    }
}
