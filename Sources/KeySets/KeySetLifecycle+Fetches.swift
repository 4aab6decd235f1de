import JOSE
import TokenVerification

extension KeySetLifecycle {
    /// Handles a successful fetch of a set with at least one usable key. `freshness` is what its server stated, if
    /// anything.
    ///
    /// - Parameter unasked: key IDs that requests named before the fetch began, and did not wait for.
    public mutating func fetchSucceeded(
        _ number: FetchNumber,
        with fetched: KeySet,
        freshness: Duration? = nil,
        answering unasked: Set<String> = [],
        at now: Moment,
        jitter: Double,
    ) -> [Action] {
        guard let ended = fetch, ended.number == number else { return [] }
        retention.replace(document, lastSeen: fetchedAt, by: fetched)
        document = fetched
        return fetchConfirmed(ended, freshness: freshness, answering: unasked, at: now, jitter: jitter)
    }

    /// Handles a fetch whose answer was that the document has not changed (304).
    public mutating func fetchFoundNothingNew(
        _ number: FetchNumber,
        freshness: Duration? = nil,
        answering unasked: Set<String> = [],
        at now: Moment,
        jitter: Double,
    ) -> [Action] {
        guard let ended = fetch, ended.number == number else { return [] }
        guard document != nil else { return fetchFailed(number, at: now, jitter: jitter) }
        counters.notModified &+= 1
        return fetchConfirmed(ended, freshness: freshness, answering: unasked, at: now, jitter: jitter)
    }

    /// Handles a failed fetch, or one with an unusable answer.
    ///
    /// - Parameters:
    ///   - cause: why it failed, for the operator. Nil if that is not known.
    ///   - retryAfter: the server's `Retry-After`, respected up to a minute.
    public mutating func fetchFailed(
        _ number: FetchNumber, cause: String? = nil, retryAfter: Duration? = nil, at now: Moment, jitter: Double
    ) -> [Action] {
        guard let failed = fetch, failed.number == number else { return [] }
        fetch = nil
        counters.fetchFailures &+= 1
        failures = min(failures + 1, 1_000)
        (lastOutcome, failureCause) = (.failed, cause)
        let backoff = Backoff()
        // Up to a fifth later, so that gateways that got the same `Retry-After` at the same time do not all come back
        // at once.
        let asked = min(backoff.limit, max(.zero, retryAfter ?? .zero)) * (1 + 0.2 * min(1, max(0, jitter)))
        nextFetch = now.advanced(by: max(backoff.delay(afterFailures: failures, jitter: jitter), asked))
        if let keyID = failed.keyID { keyFetchFailed(keyID, at: now) }
        return settle(afterFailure(of: failed, at: now), at: now)
    }

    /// Handles a possible change of the source: fetches now, or again after a fetch under way, which may have read the
    /// old state.
    public mutating func sourceChanged(at now: Moment) -> [Action] {
        guard phase == .running else { return [] }
        guard !configuration.source.hasSingleKeys else { return settle(fetchAllKeysAgain(at: now), at: now) }
        guard fetch == nil else {
            mustFetchAgain = true
            return []
        }
        return settle([beginFetch(at: now)], at: now)
    }

    /// Handles the wake-up that the last ``Action/scheduleWakeUp(at:)`` scheduled.
    public mutating func wakeUp(at now: Moment, jitter: Double) -> [Action] {
        guard phase == .running || phase == .restoring else { return [] }
        wakeUpAt = nil
        var actions = expireWaiters(at: now)
        if phase == .restoring, let restoringUntil, restoringUntil <= now.instant {
            return actions + start(at: now, jitter: jitter)
        }
        if let fetch, abandonment(of: fetch) <= now.instant {
            // Only for a fetch that misses its own deadline. Otherwise it would block all later fetches.
            actions += [.cancelFetch(fetch.number)] + fetchFailed(fetch.number, at: now, jitter: jitter)
        }
        if fetch == nil, let nextFetch, nextFetch.instant <= now.instant || isOutlived(at: now) {
            actions += configuration.source.hasSingleKeys ? fetchDueKey(at: now) : [beginFetch(at: now)]
        }
        return settle(actions, at: now)
    }

    /// Begins a fetch.
    ///
    /// - Parameter keyID: the key that is fetched alone. Nil if the whole set is fetched.
    mutating func beginFetch(at now: Moment, usingAllowance: Bool = false, of keyID: String? = nil) -> Action {
        lastNumber &+= 1
        counters.fetches &+= 1
        mustFetchAgain = false
        fetch = Fetch(number: lastNumber, startedAt: now.instant, usedAllowance: usingAllowance, keyID: keyID)
        return keyID.map { .startKeyFetch(lastNumber, keyID: $0) } ?? .startFetch(lastNumber)
    }

    /// Replaces the keys in use by the document's keys and the kept ones.
    mutating func useKeysOfDocument() {
        guard let document else { return }
        let new = retention.keys(beside: document)
        defer { keys = new }
        guard !new.hasSameKeys(as: keys) else { return }
        generation &+= 1
        // A single key that was found says nothing about those that were not.
        if !configuration.source.hasSingleKeys { refused.removeAll() }
        counters.keysAdded &+= UInt64(clamping: new.countOfKeys(missingFrom: keys))
        counters.keysRemoved &+= UInt64(clamping: keys?.countOfKeys(missingFrom: new) ?? 0)
    }

    private mutating func fetchConfirmed(
        _ ended: Fetch, freshness: Duration?, answering unasked: Set<String>, at now: Moment, jitter: Double
    ) -> [Action] {
        fetch = nil
        failures = 0
        isUnconfirmed = false
        _ = retention.expire(at: now.date)
        useKeysOfDocument()
        lastOutcome = .succeeded
        fetchedAt = now.date
        nextFetch = now.advanced(by: refreshDelay(freshness: freshness, jitter: jitter))
        refuse(unasked, at: now)
        return settle(afterSuccess(of: ended, at: now), at: now)
    }

    private mutating func refuse(_ keyIDs: Set<String>, at now: Moment) {
        for keyID in keyIDs where keys?.contains(keyID: keyID) != true { refused.insert(keyID, at: now.instant) }
    }

    /// Time until the next regular fetch: four fifths of the freshness, so that the new set arrives while the old one
    /// is still fresh.
    func refreshDelay(freshness: Duration?, jitter: Double) -> Duration {
        let longest = max(configuration.refreshInterval, configuration.freshnessLimit)
        let fresh = min(longest, max(configuration.refreshInterval, freshness ?? .zero))
        return (fresh * 0.8).spread(byTenthAt: jitter)
    }

    func abandonment(of fetch: Fetch) -> ContinuousClock.Instant {
        fetch.startedAt.advanced(by: configuration.fetchDeadline * 2)
    }
}
