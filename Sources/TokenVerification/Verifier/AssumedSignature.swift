import JOSE

/// Leave to take it for granted that a key of a token's issuer signed it.
///
/// Whoever has one can have claims judged that nobody signed, so it can be made only under a name of its own, which
/// `make lint` permits to one module: that which tries out policies. What serves traffic is given none, and cannot make
/// one.
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
