import JOSE
import KeySets
import TokenVerification

/// An issuer's rules together with the place where its current keys are found.
public final class IssuerKeys: Sendable {
    public let verifier: TokenVerifier
    public let store: KeySetStore

    public init(issuer: TrustedIssuer, store: KeySetStore) {
        verifier = TokenVerifier(issuer: issuer)
        self.store = store
    }

    /// How a look for a token's key ended.
    enum Lookup {
        case found(SelectedKey)
        /// Waiting for a newer set can help.
        case wait
        /// Nothing can be said about the token: there are no keys to judge it by.
        case unavailable(retryAfter: Duration?)
    }

    /// The key for a token in the current set; `answer` is how the wait for a newer one ended, if there was one.
    func key(for token: UnverifiedToken, after answer: KeyAnswer?, at now: NumericDate) throws(TokenRejection) -> Lookup {
        let snapshot = store.snapshot()
        let keys = snapshot.isTooStale(at: now) ? nil : snapshot.keys
        if let keys, let key = try verifier.key(for: token, in: keys) { return .found(key) }
        // No `kid` and no sole key that fits: a newer set is no reason to guess.
        if keys != nil, token.header.keyID == nil { throw .unknownKeyID }
        switch answer {
        case .unavailable(let retryAfter): return .unavailable(retryAfter: retryAfter)
        case .confirmedUnknown, .keysChanged: break
        case nil where snapshot.canWait: return .wait
        case nil where !snapshot.lastFetchSucceeded: return .unavailable(retryAfter: snapshot.retryAfter(at: now))
        case nil: break
        }
        guard keys != nil else { return .unavailable(retryAfter: snapshot.retryAfter(at: now)) }
        throw .unknownKeyID
    }
}
