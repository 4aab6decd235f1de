import JOSE
import TokenVerification

extension KeySetLifecycle {
    /// A fetch brought a set with at least one usable key; `freshness` is what its server promised, if anything.
    ///
    /// - Parameter unasked: key IDs, besides those that are waited for, that were named before the fetch began.
    public mutating func fetchSucceeded(
        _ number: FetchNumber,
        with fetched: KeySet,
        freshness: Duration? = nil,
        answering unasked: Set<String> = [],
        at now: Moment,
        jitter: Double,
    ) -> [Action] {
        guard fetch?.number == number else { return [] }
        retention.replace(document, lastSeen: fetchedAt, by: fetched)
        document = fetched
        return fetchConfirmed(number, freshness: freshness, answering: unasked, at: now, jitter: jitter)
    }

    /// A fetch was told that the document is still the one that was fetched before (304).
    public mutating func fetchFoundNothingNew(
        _ number: FetchNumber,
        freshness: Duration? = nil,
        answering unasked: Set<String> = [],
        at now: Moment,
        jitter: Double,
    ) -> [Action] {
        guard fetch?.number == number else { return [] }
        guard document != nil else { return fetchFailed(number, at: now, jitter: jitter) }
        counters.notModified &+= 1
        return fetchConfirmed(number, freshness: freshness, answering: unasked, at: now, jitter: jitter)
    }

    /// A fetch failed, or its answer was of no use; `retryAfter` is what the server asked for, and is kept to up to a
    /// minute.
    public mutating func fetchFailed(_ number: FetchNumber, retryAfter: Duration? = nil, at now: Moment, jitter: Double)
        -> [Action]
    {
        guard fetch?.number == number else { return [] }
        fetch = nil
        counters.fetchFailures &+= 1
        failures = min(failures + 1, 1_000)
        lastOutcome = .failed
        let backoff = Backoff()
        // Later by up to a fifth: gateways that were told the same in one instant would all come back in one.
        let asked = min(backoff.limit, max(.zero, retryAfter ?? .zero)) * (1 + 0.2 * min(1, max(0, jitter)))
        nextFetch = now.advanced(by: max(backoff.delay(afterFailures: failures, jitter: jitter), asked))
        return settle(afterFailure(of: number, at: now), at: now)
    }

    /// The source may have changed: fetch now, and again if a fetch under way may have read the old state.
    public mutating func sourceChanged(at now: Moment) -> [Action] {
        guard phase == .running else { return [] }
        guard fetch == nil else {
            mustFetchAgain = true
            return []
        }
        return settle([beginFetch(at: now)], at: now)
    }

    /// The instant named by the last ``Action/scheduleWakeUp(at:)`` has come.
    public mutating func wakeUp(at now: Moment, jitter: Double) -> [Action] {
        guard phase == .running || phase == .restoring else { return [] }
        wakeUpAt = nil
        var actions = expireWaiters(at: now)
        if phase == .restoring, let restoringUntil, restoringUntil <= now.instant {
            return actions + start(at: now, jitter: jitter)
        }
        if let fetch, abandonment(of: fetch) <= now.instant {
            // Only for a fetch that breaks its own deadline: without this, it would keep all others from beginning.
            actions += [.cancelFetch(fetch.number)] + fetchFailed(fetch.number, at: now, jitter: jitter)
        }
        if fetch == nil, let nextFetch, nextFetch.instant <= now.instant || isOutlived(at: now) {
            actions.append(beginFetch(at: now))
        }
        return settle(actions, at: now)
    }

    mutating func beginFetch(at now: Moment, usingAllowance: Bool = false) -> Action {
        lastNumber &+= 1
        counters.fetches &+= 1
        mustFetchAgain = false
        fetch = Fetch(number: lastNumber, startedAt: now.instant, usedAllowance: usingAllowance)
        return .startFetch(lastNumber)
    }

    /// Puts the document's keys, and those kept beside it, in the place of the keys in use.
    mutating func useKeysOfDocument() {
        guard let document else { return }
        let new = retention.keys(beside: document)
        defer { keys = new }
        guard !new.hasSameKeys(as: keys) else { return }
        generation &+= 1
        refused.removeAll()
        counters.keysAdded &+= UInt64(clamping: new.countOfKeys(missingFrom: keys))
        counters.keysRemoved &+= UInt64(clamping: keys?.countOfKeys(missingFrom: new) ?? 0)
    }

    private mutating func fetchConfirmed(
        _ number: FetchNumber, freshness: Duration?, answering unasked: Set<String>, at now: Moment, jitter: Double
    ) -> [Action] {
        let usedAllowance = fetch?.usedAllowance ?? false
        fetch = nil
        failures = 0
        isUnconfirmed = false
        _ = retention.expire(at: now.date)
        useKeysOfDocument()
        lastOutcome = .succeeded
        fetchedAt = now.date
        nextFetch = now.advanced(by: refreshDelay(freshness: freshness, jitter: jitter))
        refuse(unasked, at: now)
        return settle(afterSuccess(of: number, usedAllowance: usedAllowance, at: now), at: now)
    }

    private mutating func refuse(_ keyIDs: Set<String>, at now: Moment) {
        for keyID in keyIDs where keys?.contains(keyID: keyID) != true { refused.insert(keyID, at: now.instant) }
    }

    /// Four fifths of the time that the set is fresh, so that a new set is there before the old one is no longer fresh.
    func refreshDelay(freshness: Duration?, jitter: Double) -> Duration {
        let longest = max(configuration.refreshInterval, configuration.freshnessLimit)
        let fresh = min(longest, max(configuration.refreshInterval, freshness ?? .zero))
        return (fresh * 0.8).spread(byTenthAt: jitter)
    }

    func abandonment(of fetch: Fetch) -> ContinuousClock.Instant {
        fetch.startedAt.advanced(by: configuration.fetchDeadline * 2)
    }
}
