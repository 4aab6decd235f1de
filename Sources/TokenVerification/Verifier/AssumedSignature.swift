import JOSE

/// Permission to skip the signature check, and to assume that a key of the token's issuer signed it.
///
/// Code with this permission can have unsigned claims accepted. So the initializer is hidden behind its own SPI name,
/// which `make lint` permits in only one module: the one that tries out policies. Code that serves traffic gets no
/// permission and cannot make one.
public struct AssumedSignature: Sendable {
    @_spi(AssumedTokens) public init() {}
}

extension TokenVerifier {
    /// Checks that concern a token's key, if no key is looked up: the token names no denied key, and comes from a
    /// directory and a user flow whose keys may verify it.
    func judgeAssumedKey(of token: UnverifiedToken, identifier: IssuerIdentifier, _ progress: inout TokenProgress)
        throws(TokenRejection)
    {
        if let keyID = token.header.keyID, issuer.deniedKeys.contains(keyID) { throw .unknownKeyID }
        progress.check = .origin
        _ = try issuer.directory?.tenant(of: token.claims, identifier: identifier)
        guard case .policy(let rule) = issuer.keyBinding else { return }
        guard let keySet = rule.keySet(of: token.claims), identifier.policy.map({ $0 == keySet }) ?? true else {
            throw .policyNotAllowed
        }
    }
}
