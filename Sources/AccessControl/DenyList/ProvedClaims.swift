import TokenVerification

/// Claims that are known to come from the issuer, by a signature or by an introspection response. The token may still
/// be rejected.
public struct ProvedClaims: Sendable {
    let claims: ClaimsSet
    let issuer: TrustedIssuer
    let keyID: String?
    let subject: String?

    public init(_ token: VerifiedToken) {
        (claims, issuer, keyID, subject) = (token.claims, token.issuer, token.keyID, token.subject)
    }

    public init(_ token: SignedToken) {
        self.init(token.claims, of: token.verifier.issuer, keyID: token.keyID)
    }

    /// Takes claims that an issuer has signed, or returned by introspection.
    ///
    /// - Parameter keyID: ID of the key that signed the token. Nil after introspection.
    public init(_ claims: ClaimsSet, of issuer: TrustedIssuer, keyID: String? = nil) {
        (self.claims, self.issuer, self.keyID) = (claims, issuer, keyID)
        subject = claims.identifier(of: issuer.subject.claims)
    }

    /// Name by which deny list entries name the issuer.
    var deniedIssuer: String { issuer.deniedName(in: claims) }

    var clientID: String? { claims.identifier(of: issuer.clientClaims) }
}

extension TrustedIssuer {
    /// Name by which deny list entries name the issuer of these claims: that in the file, or the `iss` of a realm.
    func deniedName(in claims: ClaimsSet) -> String { realms == nil ? name : claims.issuer ?? name }
}
