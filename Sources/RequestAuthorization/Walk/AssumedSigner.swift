import TokenVerification

/// The issuer whose key is assumed to have signed a token; the signature is not checked.
public struct AssumedSigner: Sendable {
    private let leave: AssumedSignature
    /// Nil if the issuer that the token names is assumed to have signed it.
    private let issuer: IssuerIndex?

    public init(_ leave: AssumedSignature, issuer: IssuerIndex?) {
        self.leave = leave
        self.issuer = issuer
    }

    /// Returns the permission to assume a signature, for a token that names this issuer.
    ///
    /// - Throws: `unknownKeyID` if another issuer is assumed to sign. A key of one issuer is never a key of another, so
    ///   the token counts as signed by an unknown key.
    func signature(of named: IssuerIndex) throws(TokenRejection) -> AssumedSignature {
        guard issuer.map({ $0 == named }) ?? true else { throw .unknownKeyID }
        return leave
    }
}

extension RequestAuthorizer {
    /// Returns the verdict on a request whose token is assumed to be signed; all other checks are those of
    /// ``authorize(_:at:)``.
    public func authorize(_ request: inout AuthorizationRequest, assuming signer: AssumedSigner, at now: NumericDate)
        -> AuthorizationOutcome
    {
        RequestWalk(self, assuming: signer, at: now).outcome(of: &request)
    }
}
