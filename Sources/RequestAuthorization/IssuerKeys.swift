import JOSE
import KeySets
import TokenIntrospection
import TokenVerification
import TypedIndices

/// An issuer's rules together with the stores of its current keys.
public final class IssuerKeys: Sendable {
    public let verifier: TokenVerifier
    /// One for each of the issuer's key sets, in their order.
    public let stores: IndexedBy<KeySetIndex, KeySetStore>

    /// The answers about its opaque tokens; nil where it is not asked.
    public let introspection: IntrospectionStore?

    public init(issuer: TrustedIssuer, stores: IndexedBy<KeySetIndex, KeySetStore>, introspection: IntrospectionStore? = nil) {
        verifier = TokenVerifier(issuer: issuer)
        self.stores = stores
        self.introspection = introspection
    }

    /// The outcome of looking up a token's key.
    enum Lookup {
        case found(SelectedKey)
        /// Waiting for a newer set can help: this one of the issuer's.
        case wait(keySet: KeySetIndex)
        /// Nothing can be said about the token: there are no keys to judge it by.
        case unavailable(retryAfter: Duration?)
    }

    /// The key for a token in the current sets; `answer` is how the wait for a newer one ended, if there was one.
    ///
    /// The set that the token's own claims name comes first. A key that only another set of the issuer has is found as well, so that
    /// its signature is judged before the token is refused for being signed by the wrong one.
    func key(
        for token: UnverifiedToken, identifier: IssuerIdentifier, after answer: KeyAnswer?, at now: NumericDate
    ) throws(TokenRejection) -> Lookup {
        let named = verifier.keySet(for: token, identifier: identifier)
        do throws(TokenRejection) {
            let lookup = try key(for: token, in: named ?? 0, after: answer, at: now)
            if case .found = lookup { return lookup }
            // A flow that is not accepted has no set that could be waited for while another has the key.
            if named == nil, let selected = try keyOfAnotherSet(for: token, than: 0, at: now) { return .found(selected) }
            return lookup
        } catch .unknownKeyID where stores.count > 1 {
            guard let selected = try keyOfAnotherSet(for: token, than: named ?? 0, at: now) else { throw .unknownKeyID }
            return .found(selected)
        }
    }

    private func key(
        for token: UnverifiedToken, in keySet: KeySetIndex, after answer: KeyAnswer?, at now: NumericDate
    ) throws(TokenRejection) -> Lookup {
        guard let snapshot = stores[keySet]?.snapshot() else { throw .unknownKeyID }
        let keys = snapshot.isTooStale(at: now) ? nil : snapshot.keys
        if let keys, let key = try verifier.key(for: token, in: keys, keySet: keySet) { return .found(key) }
        // No `kid` and no sole key that fits: a newer set is no reason to guess.
        if keys != nil, token.header.keyID == nil { throw .unknownKeyID }
        switch answer {
        case .unavailable(let retryAfter): return .unavailable(retryAfter: retryAfter)
        case .confirmedUnknown, .keysChanged: break
        case nil where snapshot.canWait: return .wait(keySet: keySet)
        case nil where !snapshot.lastFetchSucceeded: return .unavailable(retryAfter: snapshot.retryAfter(at: now))
        case nil: break
        }
        guard keys != nil else { return .unavailable(retryAfter: snapshot.retryAfter(at: now)) }
        throw .unknownKeyID
    }

    /// Only for user flows: sets that differ in what their tokens' `iss` is have nothing to do with each other.
    private func keyOfAnotherSet(for token: UnverifiedToken, than own: KeySetIndex, at now: NumericDate) throws(TokenRejection)
        -> SelectedKey?
    {
        guard case .policy = verifier.issuer.keyBinding, token.header.keyID != nil else { return nil }
        for (keySet, store) in stores.indexed where keySet != own {
            let snapshot = store.snapshot()
            guard !snapshot.isTooStale(at: now), let keys = snapshot.keys else { continue }
            if let key = try verifier.key(for: token, in: keys, keySet: keySet) { return key }
        }
        return nil
    }
}
