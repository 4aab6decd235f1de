import JOSE
import KeySets
import TokenIntrospection
import TokenVerification

/// An issuer's rules together with the stores of its current keys.
public final class IssuerKeyStores: Sendable {
    public let verifier: TokenVerifier
    /// One store for each of the issuer's key sets, in their order.
    public let stores: IndexedBy<KeySetIndex, KeySetStore>
    /// Stores of the issuer's realms, if it has realms by pattern; then it has no other stores. Nil for other issuers.
    public let realms: RealmStores?

    /// Introspection responses about opaque tokens. Nil if the issuer is not asked.
    public let introspection: IntrospectionStore?

    public init(
        issuer: TrustedIssuer, stores: IndexedBy<KeySetIndex, KeySetStore>, realms: RealmStores? = nil,
        introspection: IntrospectionStore? = nil
    ) {
        verifier = TokenVerifier(issuer: issuer)
        self.stores = stores
        self.realms = realms
        self.introspection = introspection
    }

    /// The outcome of looking up a token's keys.
    enum Lookup {
        case found(CandidateKeys)
        /// The issuer's key set should be fetched again; a newer version may have the key.
        case wait(KeyPlace)
        /// The token cannot be judged at present.
        case undecided(UndecidedKey, retryAfter: Duration)
    }

    /// Finds the keys for a token in the current sets.
    ///
    /// The set that the token's own claims name comes first. A key that only another set of the issuer has is found as
    /// well. So the signature is checked before the token is rejected for its key set.
    ///
    /// - Parameter answer: the result of the wait for a newer set. Nil if there was no wait.
    func keys(
        for token: UnverifiedToken, identifier: IssuerIdentifier, after answer: KeyAnswer?, at now: NumericDate
    ) throws(TokenRejection) -> Lookup {
        if realms != nil { return try keysOfRealm(of: token, after: answer, at: now) }
        if verifier.issuer.mergesKeySets { return try keysOfAnySet(for: token, after: answer, at: now) }
        let named = verifier.keySet(for: token, identifier: identifier)
        do throws(TokenRejection) {
            let lookup = try keys(for: token, in: named ?? 0, after: answer, at: now)
            if case .found = lookup { return lookup }
            // A user flow that is not accepted names no set to wait for, while another set may have the key. The same
            // holds for a set that may not be fetched now.
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
        guard let store = stores[keySet] else { throw .unknownKeyID }
        return try keys(for: token, in: store, keySet, after: answer, at: now)
    }

    fileprivate func keys(
        for token: UnverifiedToken, in store: KeySetStore, _ keySet: KeySetIndex, after answer: KeyAnswer?,
        at now: NumericDate
    ) throws(TokenRejection) -> Lookup {
        let snapshot = store.snapshot()
        guard snapshot.canHaveKey(token.header.keyID) else {
            throw .unknownKeyID
        }
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

    /// Looks for the token's key in the issuer's other key sets, for user flows only. Sets for different `iss` values
    /// are unrelated. Nil if keys are not bound to user flows, the token has no key ID, or no usable set has the key.
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

// MARK: Realms

extension IssuerKeyStores {
    /// Finds the keys in the key set of the realm that the token names. Only that realm's keys may have signed it.
    private func keysOfRealm(of token: UnverifiedToken, after answer: KeyAnswer?, at now: NumericDate)
        throws(TokenRejection) -> Lookup
    {
        guard let name = token.claims.issuer.flatMap({ verifier.issuer.realms?.realm(of: $0) }) else {
            throw .issuerMismatch
        }
        if let realm = realms?.realm(named: name) {
            return try keys(for: token, in: realm.store, realm.index, after: answer, at: now)
        }
        return switch answer {
        case nil: .wait(.realm(name))
        case .confirmedUnknown: throw .unknownKeyID
        case .unavailable(let retryAfter): .undecided(.noKeys, retryAfter: retryAfter)
        case .notAsked(let retryAfter): .undecided(.notAsked, retryAfter: retryAfter)
        case .keysChanged: .undecided(.noKeys, retryAfter: .seconds(1))
        }
    }

    /// The realm that a token names. Nil if it has no place, and for issuers without realms by pattern.
    func realm(of token: UnverifiedToken) -> RealmStores.Realm? {
        guard let realms, let name = token.claims.issuer.flatMap({ verifier.issuer.realms?.realm(of: $0) }) else {
            return nil
        }
        return realms.realm(named: name)
    }

    /// Stores that may have the key of a token of this realm. Empty for a realm without a place.
    func stores(of realm: KeySetIndex?) -> [KeySetStore] {
        guard let realms else { return Array(stores) }
        return [realm.flatMap { realms.store($0) }].compactMap(\.self)
    }

    /// Epochs of the key sets that may have the key of a token of this realm.
    func keyEpochs(of realm: RealmStores.Realm?) -> KeyEpochs {
        realm.map { .one($0.index, $0.store.keyEpoch) } ?? .all(stores.mapped(\.keyEpoch))
    }

    /// Epochs of an issuer's key sets at one moment.
    enum KeyEpochs {
        case all(IndexedBy<KeySetIndex, UInt64>)
        case one(KeySetIndex, UInt64)

        subscript(_ keySet: KeySetIndex) -> UInt64? {
            switch self {
            case .all(let epochs): epochs[keySet]
            case .one(let own, let epoch): own == keySet ? epoch : nil
            }
        }
    }
}

// MARK: Merged key sets

extension IssuerKeyStores {
    /// Finds the keys in the first set, in the issuer's order, that has them.
    ///
    /// A missing set does not affect keys of the others. But until it is there, a key that the others lack cannot be
    /// called unknown.
    private func keysOfAnySet(for token: UnverifiedToken, after answer: KeyAnswer?, at now: NumericDate)
        throws(TokenRejection) -> Lookup
    {
        let snapshots = stores.mapped { $0.snapshot() }
        let (found, refusal) = try keysOfAnySet(for: token, in: snapshots, at: now)
        if let found { return .found(found) }
        // A key for another algorithm is a rejection even if more sets arrive.
        let keyID = refusal == nil ? token.header.keyID : nil
        let lookups = snapshots.indexed.compactMap { keySet, snapshot -> Lookup? in
            // A missing file with another key cannot make this one known.
            guard snapshot.canHaveKey(token.header.keyID) else { return nil }
            return snapshot.isTooStale(at: now)
                ? snapshot.lookup(keySet, after: answer, at: now)
                : keyID.flatMap { snapshot.lookup(of: $0, keySet, after: answer, at: now) }
        }
        guard let lookup = Lookup.merging(lookups) else { throw refusal ?? .unknownKeyID }
        return lookup
    }

    /// Returns the keys. If a set has a key of this ID that does not fit the token, returns the rejection instead.
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

    /// Finds the keys that fit a token without `kid`, or with one if no key of the sets has an ID. Nil if none fits, or
    /// if a set is missing or too old, because another key might fit.
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

extension IssuerKeyStores.Lookup {
    /// Combines the outcomes of several sets into one: a wait for one set wins, since it waits for all. Nil if there
    /// are none.
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
    /// Outcome for a token whose key would be in this set, while the set cannot be used.
    fileprivate func lookup(_ keySet: KeySetIndex, after answer: KeyAnswer?, at now: NumericDate)
        -> IssuerKeyStores.Lookup
    {
        switch answer {
        case .unavailable(let retryAfter), .notAsked(let retryAfter): .undecided(.noKeys, retryAfter: retryAfter)
        case nil where canWait: .wait(.keySet(keySet))
        case .keysChanged, .confirmedUnknown, nil: .undecided(.noKeys, retryAfter: retryAfter(at: now))
        }
    }

    /// Outcome for a token whose key this set does not have. Nil if the key is definitely unknown.
    fileprivate func lookup(of keyID: String, _ keySet: KeySetIndex, after answer: KeyAnswer?, at now: NumericDate)
        -> IssuerKeyStores.Lookup?
    {
        switch answer {
        case .keysChanged, .confirmedUnknown: return nil
        case .unavailable(let retryAfter): return .undecided(.unanswered, retryAfter: retryAfter)
        case .notAsked(let retryAfter): return .undecided(.notAsked, retryAfter: retryAfter)
        case nil: break
        }
        return switch missing(keyID, at: now) {
        case .unknown: nil
        case .awaited: .wait(.keySet(keySet))
        case .unanswered(let retryAfter): .undecided(.unanswered, retryAfter: retryAfter)
        case .notAsked(let retryAfter): .undecided(.notAsked, retryAfter: retryAfter)
        }
    }
}
