import JOSE
import TokenVerification

/// Life of a source whose keys are fetched one by one.
extension KeySetLifecycle {
    /// Handles the answer to the fetch of a single key.
    ///
    /// - Parameter key: the key with the ID that was asked for. Nil if the source has none.
    public mutating func keyFetchEnded(_ number: FetchNumber, with key: VerificationKey?, at now: Moment) -> [Action] {
        guard let ended = fetch, ended.number == number, let keyID = ended.keyID else { return [] }
        fetch = nil
        failures = 0
        lastOutcome = .succeeded
        fetchedAt = now.date
        dueKeys.removeAll { $0.utf8.elementsEqual(keyID.utf8) }
        isUnconfirmed = isUnconfirmed && !dueKeys.isEmpty
        retention.replace(keyID: keyID, by: key, seen: now.date)
        _ = retention.expire(at: now.date)
        useKeysOfDocument()
        if key == nil { refused.insert(keyID, at: now.instant) }
        planRefresh(at: now)
        let actions = afterSuccess(of: ended, at: now)
        return settle(actions + (fetch == nil ? fetchDueKey(at: now) : []), at: now)
    }

    /// Starts with the saved keys, which are all fetched again, as after any restart.
    mutating func startSingleKeys(restoring saved: SavedKeySet?, at now: Moment) -> [Action] {
        if let saved, fetchedAt == nil { restore(saved, at: now) }
        lastOutcome = .succeeded
        if isUnconfirmed { dueKeys = retention.keyIDs }
        isUnconfirmed = !dueKeys.isEmpty
        planRefresh(at: now)
        let actions = answerFound(at: now) + fetchForTheRest(at: now)
        return settle(actions + (fetch == nil ? fetchDueKey(at: now) : []), at: now)
    }

    /// Begins to fetch all keys again, one after the other.
    mutating func fetchAllKeysAgain(at now: Moment) -> [Action] {
        dueKeys = retention.keyIDs
        return fetch == nil ? fetchDueKey(at: now) : []
    }

    /// Begins to fetch the next key that is due. Empty if none is.
    mutating func fetchDueKey(at now: Moment) -> [Action] {
        if dueKeys.isEmpty { dueKeys = retention.keyIDs(seenBefore: now.date - singleKeyRefresh) }
        let known = retention.keyIDs
        dueKeys.removeAll { !known.contains($0) }
        guard let next = dueKeys.first else {
            planRefresh(at: now)
            return []
        }
        return [beginFetch(at: now, of: next)]
    }

    /// Notes that a key could not be fetched. A key in use stays due, and is tried again after the others.
    mutating func keyFetchFailed(_ keyID: String, at now: Moment) {
        dueKeys.removeAll { $0.utf8.elementsEqual(keyID.utf8) }
        if retention.keyIDs.contains(keyID) { dueKeys.append(keyID) }
        if dueKeys.isEmpty { planRefresh(at: now) }
    }

    /// Plans the next regular fetch: when the oldest key is due. None without keys.
    private mutating func planRefresh(at now: Moment) {
        nextFetch = retention.kept.last.map { oldest in
            now.advanced(
                by: max(.milliseconds(1), .seconds((oldest.lastSeen + singleKeyRefresh).seconds - now.date.seconds)))
        }
    }

    /// Age at which a single key is fetched again: four fifths of the longest freshness.
    private var singleKeyRefresh: Duration { refreshDelay(freshness: configuration.freshnessLimit, jitter: 0.5) }
}

extension KeySetLifecycle.Fetch {
    /// True if the fetch answers a request that waits: it fetches the whole set, or the request's key.
    func concerns(_ waiter: KeySetLifecycle.Waiter) -> Bool {
        guard let keyID else { return true }
        return waiter.keyID?.utf8.elementsEqual(keyID.utf8) ?? false
    }
}

extension KeyRetention {
    /// IDs of the kept keys, those seen longest ago first.
    fileprivate var keyIDs: [String] { kept.reversed().compactMap(\.key.keyID) }

    /// IDs of the kept keys that were last seen at this time or earlier, those seen longest ago first.
    fileprivate func keyIDs(seenBefore time: NumericDate) -> [String] {
        kept.reversed().filter { $0.lastSeen <= time }.compactMap(\.key.keyID)
    }
}
