import TokenVerification

/// Names by which an entry of a deny list can name one token or its subject, as the token's claims state them.
///
/// The claims are not proved: whoever made the token chose these names.
public struct TokenNames: Sendable, Hashable {
    /// Issuer in entries: its name in the file, or the `iss` of a realm.
    public let issuer: String
    /// Value of `jti`. Nil if it is absent, empty or not an identifier.
    public let tokenID: String?
    /// Subject as entries name it. Nil if it is absent, empty or not an identifier.
    public let subject: String?

    /// Reads the names from the claims of a token that would have to be this issuer's.
    public init(_ claims: ClaimsSet, of issuer: TrustedIssuer) {
        self.issuer = issuer.deniedName(in: claims)
        tokenID = Self.named(claims.tokenID)
        subject = Self.named(claims.identifier(of: issuer.subject.claims))
    }

    /// Text of an identifier. Nil if it is empty: no entry can name it.
    private static func named(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
