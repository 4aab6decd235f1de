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
        if verifier.issuer.mergesKeySets { return try keyOfAnySet(for: token, after: answer, at: now) }
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

// MARK: Sets of which each may have the key

extension IssuerKeys {
    /// The first set in the issuer's order that has the key. A set that is not there now takes nothing from the others, but until it is there
    /// nobody can say that it does not have a key that they do not have.
    private func keyOfAnySet(for token: UnverifiedToken, after answer: KeyAnswer?, at now: NumericDate) throws(TokenRejection) -> Lookup {
        let snapshots = stores.mapped { $0.snapshot() }
        let (found, refusal) = try keyOfAnySet(for: token, in: snapshots, at: now)
        if let found { return .found(found) }
        switch answer {
        case .unavailable(let retryAfter): return .unavailable(retryAfter: retryAfter)
        case .confirmedUnknown, .keysChanged: break
        case nil:
            // Whoever waits for one of them waits for all; that a key is for another algorithm does not change with the sets that are there.
            let awaited = snapshots.firstIndex { $0.canWait && (refusal == nil || $0.isTooStale(at: now)) }
            if let awaited { return .wait(keySet: awaited) }
        }
        let missing = snapshots.filter { $0.isTooStale(at: now) || (answer == nil && !$0.lastFetchSucceeded) }
        guard missing.isEmpty else { return .unavailable(retryAfter: missing.map { $0.retryAfter(at: now) }.min()) }
        throw refusal ?? .unknownKeyID
    }

    /// The key, or why a set that is there has one of this ID that is not for the token.
    private func keyOfAnySet(
        for token: UnverifiedToken, in snapshots: IndexedBy<KeySetIndex, KeySetSnapshot>, at now: NumericDate
    ) throws(TokenRejection) -> (key: SelectedKey?, refusal: TokenRejection?) {
        guard token.header.keyID != nil else { return (try soleKey(for: token, in: snapshots, at: now), nil) }
        var refusal: TokenRejection?
        for (keySet, snapshot) in snapshots.indexed where !snapshot.isTooStale(at: now) {
            guard let keys = snapshot.keys else { continue }
            do throws(TokenRejection) {
                if let key = try verifier.key(for: token, in: keys, keySet: keySet) { return (key, nil) }
            } catch {
                // A key of this ID for another algorithm; another set may have one for the token's.
                refusal = refusal ?? error
            }
        }
        return (nil, refusal)
    }

    /// Without `kid` the key must be the only one that fits, so all sets have to be there.
    private func soleKey(
        for token: UnverifiedToken, in snapshots: IndexedBy<KeySetIndex, KeySetSnapshot>, at now: NumericDate
    ) throws(TokenRejection) -> SelectedKey? {
        guard !snapshots.contains(where: { $0.isTooStale(at: now) }) else { return nil }
        var seen: Set<[UInt8]> = []
        let all = snapshots.flatMap { $0.keys?.keys ?? [] }.filter { seen.insert($0.thumbprint).inserted }
        guard let selected = try verifier.key(for: token, in: KeySet(keys: all)) else { throw .unknownKeyID }
        let owner = snapshots.firstIndex { $0.keys?.keys.contains { $0.thumbprint == selected.key.thumbprint } ?? false }
        return SelectedKey(key: selected.key, algorithm: selected.algorithm, keySet: owner ?? 0)
    }
}
