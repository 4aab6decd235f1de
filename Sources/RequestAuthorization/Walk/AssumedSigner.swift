import TokenVerification

/// Whose key is taken to have signed a token, without looking at the signature.
public struct AssumedSigner: Sendable {
    private let leave: AssumedSignature
    /// nil: whichever issuer the token names.
    private let issuer: IssuerIndex?

    public init(_ leave: AssumedSignature, issuer: IssuerIndex?) {
        self.leave = leave
        self.issuer = issuer
    }

    /// A key of one issuer's is none of another's: a token that names the other is refused as one that a stranger
    /// signed.
    func signature(of named: IssuerIndex) throws(TokenRejection) -> AssumedSignature {
        guard issuer.map({ $0 == named }) ?? true else { throw .unknownKeyID }
        return leave
    }
}

extension RequestAuthorizer {
    /// The verdict on a request whose token is taken to be signed; every other check is that of ``authorize(_:at:)``.
    public func authorize(_ request: inout AuthorizationRequest, assuming signer: AssumedSigner, at now: NumericDate)
        -> AuthorizationOutcome
    {
        var walk = RequestWalk(self, assuming: signer, at: now)
        return walk.outcome(of: &request)
    }
}
