import JOSE
import KeySets
import TokenIntrospection
import TokenVerification

/// An issuer's rules together with the stores of its current keys.
public final class IssuerKeys: Sendable {
    public let verifier: TokenVerifier
    /// One for each of the issuer's key sets, in their order.
    public let stores: IndexedBy<KeySetIndex, KeySetStore>

    /// The answers about its opaque tokens; nil where it is not asked.
    public let introspection: IntrospectionStore?

    public init(
        issuer: TrustedIssuer, stores: IndexedBy<KeySetIndex, KeySetStore>, introspection: IntrospectionStore? = nil
    ) {
        verifier = TokenVerifier(issuer: issuer)
        self.stores = stores
        self.introspection = introspection
    }

    /// The outcome of looking up a token's keys.
    enum Lookup {
        case found(CandidateKeys)
        /// Waiting for a newer set can help: this one of the issuer's.
        case wait(keySet: KeySetIndex)
        /// Nothing can be said about the token at present.
        case undecided(UndecidedKey, retryAfter: Duration)
    }

    /// The keys for a token in the current sets; `answer` is how the wait for a newer one ended, if there was one.
    ///
    /// The set that the token's own claims name comes first. A key that only another set of the issuer has is found as
    /// well, so that its signature is judged before the token is refused for being signed by the wrong one.
    func keys(
        for token: UnverifiedToken, identifier: IssuerIdentifier, after answer: KeyAnswer?, at now: NumericDate
    ) throws(TokenRejection) -> Lookup {
        if verifier.issuer.mergesKeySets { return try keysOfAnySet(for: token, after: answer, at: now) }
        let named = verifier.keySet(for: token, identifier: identifier)
        do throws(TokenRejection) {
            let lookup = try keys(for: token, in: named ?? 0, after: answer, at: now)
            if case .found = lookup { return lookup }
            // A flow that is not accepted has no set that could be waited for while another has the key; nor has one
            // that may not be asked.
            let isSettled = if case .undecided(.notAsked, _) = lookup { true } else { named == nil }
            guard isSettled, let selected = try keyOfAnotherSet(for: token, than: named ?? 0, at: now) else {
                return lookup
            }
            return .found(CandidateKeys(selected))
        } catch .unknownKeyID where stores.count > 1 {
            guard let selected = try keyOfAnotherSet(for: token, than: named ?? 0, at: now) else { throw .unknownKeyID }
            return .found(CandidateKeys(selected))
        }
    }

    private func keys(
        for token: UnverifiedToken, in keySet: KeySetIndex, after answer: KeyAnswer?, at now: NumericDate
    ) throws(TokenRejection) -> Lookup {
        guard let snapshot = stores[keySet]?.snapshot() else { throw .unknownKeyID }
        guard !snapshot.isTooStale(at: now), let keys = snapshot.keys else {
            return snapshot.lookup(keySet, after: answer, at: now)
        }
        if let found = try verifier.keys(for: token, in: keys, keySet: keySet) { return .found(found) }
        // No `kid` and no key that fits: a newer set is no reason to guess.
        guard let keyID = token.header.keyID, let lookup = snapshot.lookup(of: keyID, keySet, after: answer, at: now)
        else {
            throw .unknownKeyID
        }
        return lookup
    }

    /// Only for user flows: sets that differ in what their tokens' `iss` is have nothing to do with each other.
    private func keyOfAnotherSet(for token: UnverifiedToken, than own: KeySetIndex, at now: NumericDate)
        throws(TokenRejection)
        -> SelectedKey?
    {
        guard case .policy = verifier.issuer.keyBinding, let keyID = token.header.keyID else { return nil }
        for (keySet, store) in stores.indexed where keySet != own {
            let snapshot = store.snapshot()
            guard !snapshot.isTooStale(at: now), let keys = snapshot.keys else { continue }
            if let key = try verifier.key(keyID, for: token, in: keys, keySet: keySet) { return key }
        }
        return nil
    }
}

// MARK: Sets of which each may have the key

extension IssuerKeys {
    /// The first set in the issuer's order that has the key. A set that is not there now takes nothing from the others,
    /// but until it is there nobody can say that it does not have a key that they do not have.
    private func keysOfAnySet(for token: UnverifiedToken, after answer: KeyAnswer?, at now: NumericDate)
        throws(TokenRejection) -> Lookup
    {
        let snapshots = stores.mapped { $0.snapshot() }
        let (found, refusal) = try keysOfAnySet(for: token, in: snapshots, at: now)
        if let found { return .found(found) }
        // That a key is for another algorithm does not change with the sets that are there.
        let keyID = refusal == nil ? token.header.keyID : nil
        let lookups = snapshots.indexed.compactMap { keySet, snapshot in
            snapshot.isTooStale(at: now)
                ? snapshot.lookup(keySet, after: answer, at: now)
                : keyID.flatMap { snapshot.lookup(of: $0, keySet, after: answer, at: now) }
        }
        guard let lookup = Lookup.merging(lookups) else { throw refusal ?? .unknownKeyID }
        return lookup
    }

    /// The keys, or why a set that is there has one of this ID that is not for the token.
    private func keysOfAnySet(
        for token: UnverifiedToken, in snapshots: IndexedBy<KeySetIndex, KeySetSnapshot>, at now: NumericDate
    ) throws(TokenRejection) -> (keys: CandidateKeys?, refusal: TokenRejection?) {
        var refusal: TokenRejection?
        if let keyID = token.header.keyID {
            for (keySet, snapshot) in snapshots.indexed where !snapshot.isTooStale(at: now) {
                guard let keys = snapshot.keys else { continue }
                do throws(TokenRejection) {
                    if let key = try verifier.key(keyID, for: token, in: keys, keySet: keySet) {
                        return (CandidateKeys(key), nil)
                    }
                } catch {
                    // A key of this ID for another algorithm; another set may have one for the token's.
                    refusal = refusal ?? error
                }
            }
        }
        guard refusal == nil else { return (nil, refusal) }
        return (try unnamedKeys(for: token, in: snapshots, at: now), nil)
    }

    /// Whatever fits must be known to be all that fits, so all sets have to be there.
    private func unnamedKeys(
        for token: UnverifiedToken, in snapshots: IndexedBy<KeySetIndex, KeySetSnapshot>, at now: NumericDate
    ) throws(TokenRejection) -> CandidateKeys? {
        guard !snapshots.contains(where: { $0.isTooStale(at: now) }) else { return nil }
        let sets = snapshots.indexed.compactMap { index, snapshot in snapshot.keys.map { (index, $0) } }
        let isNamed = token.header.keyID != nil
        guard !isNamed || !sets.contains(where: { $0.1.hasKeyIDs }) else { return nil }
        let found = try verifier.unnamedKeys(for: token, in: sets)
        // No `kid` and no key that fits: a newer set is no reason to guess.
        guard found != nil || isNamed else { throw .unknownKeyID }
        return found
    }
}

extension IssuerKeys.Lookup {
    /// What becomes of a token of which each of several sets says so much: whoever waits for one of them waits for all.
    /// Nil without any.
    fileprivate static func merging(_ lookups: [Self]) -> Self? {
        for lookup in lookups {
            if case .wait = lookup { return lookup }
        }
        for cause in [UndecidedKey.noKeys, .unanswered, .notAsked] {
            if let soonest = lookups.compactMap({ $0.retryAfter(cause) }).min() {
                return .undecided(cause, retryAfter: soonest)
            }
        }
        return nil
    }

    private func retryAfter(_ cause: UndecidedKey) -> Duration? {
        if case .undecided(cause, let retryAfter) = self { retryAfter } else { nil }
    }
}

extension KeySetSnapshot {
    /// What becomes of a token whose key would be in this set, which cannot be used now.
    fileprivate func lookup(_ keySet: KeySetIndex, after answer: KeyAnswer?, at now: NumericDate) -> IssuerKeys.Lookup {
        switch answer {
        case .unavailable(let retryAfter), .notAsked(let retryAfter): .undecided(.noKeys, retryAfter: retryAfter)
        case nil where canWait: .wait(keySet: keySet)
        case .keysChanged, .confirmedUnknown, nil: .undecided(.noKeys, retryAfter: retryAfter(at: now))
        }
    }

    /// What becomes of a token whose key this set does not have; nil: it is unknown.
    fileprivate func lookup(of keyID: String, _ keySet: KeySetIndex, after answer: KeyAnswer?, at now: NumericDate)
        -> IssuerKeys.Lookup?
    {
        switch answer {
        case .keysChanged, .confirmedUnknown: return nil
        case .unavailable(let retryAfter): return .undecided(.unanswered, retryAfter: retryAfter)
        case .notAsked(let retryAfter): return .undecided(.notAsked, retryAfter: retryAfter)
        case nil: break
        }
        return switch missing(keyID, at: now) {
        case .unknown: nil
        case .awaited: .wait(keySet: keySet)
        case .unanswered(let retryAfter): .undecided(.unanswered, retryAfter: retryAfter)
        case .notAsked(let retryAfter): .undecided(.notAsked, retryAfter: retryAfter)
        }
    }
}
