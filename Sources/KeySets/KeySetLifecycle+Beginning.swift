import JOSE
import TokenVerification

extension KeySetLifecycle {
    /// Longest time for which the start waits for the saved key set. A slower disk is not waited for.
    static let restoreLimit = Duration.seconds(2)

    /// Begins to wait for the saved key set; ``start(restoring:at:jitter:)`` must follow. Requests wait meanwhile, as
    /// for a first fetch.
    public mutating func beginRestoring(at now: Moment) -> [Action] {
        guard phase == .idle else { return [] }
        phase = .restoring
        restoringUntil = now.instant.advanced(by: Self.restoreLimit)
        return settle([], at: now)
    }

    /// Starts the lifecycle with a fetch, unless a predecessor's keys are still fresh.
    ///
    /// A set saved on disk is used meanwhile, but is always fetched again, even if it is fresh. So changes made while
    /// no process ran are found at once. The saved set is ignored if a predecessor's keys are present.
    public mutating func start(restoring saved: SavedKeySet? = nil, at now: Moment, jitter: Double) -> [Action] {
        guard phase == .idle || phase == .restoring else { return [] }
        phase = .running
        guard !configuration.source.hasSingleKeys else { return startSingleKeys(restoring: saved, at: now) }
        if let saved, document == nil { restore(saved, at: now) }
        guard !isUnconfirmed, let fetchedAt, snapshot.lastFetchSucceeded, fetchedAt <= now.date,
            now.date < fetchedAt + configuration.refreshInterval
        else {
            // Requests that already wait are answered first. The fetch begins after they came, so its answer counts for
            // them.
            return settle(answerFound(at: now) + [beginFetch(at: now)], at: now)
        }
        lastOutcome = .succeeded
        nextFetch = now.advanced(by: refreshDelay(freshness: configuration.refreshInterval, jitter: jitter))
        return settle([], at: now)
    }

    mutating func restore(_ saved: SavedKeySet, at now: Moment) {
        document = saved.document
        fetchedAt = saved.fetchedAt
        isUnconfirmed = true
        generation &+= 1
        retention.restore(saved.kept, beside: saved.document)
        _ = retention.expire(at: now.date)
        keys = retention.keys(beside: saved.document)
        restoredUsableKeys = usableKeys(at: now) != nil
    }

    /// Stops the lifecycle. Requests that wait, or come later, are answered with a request to retry.
    public mutating func stop(at now: Moment) -> [Action] {
        guard phase != .stopped else { return [] }
        phase = .stopped
        nextFetch = nil
        var actions: [Action] = []
        if let fetch { actions.append(.cancelFetch(fetch.number)) }
        fetch = nil
        let left = waiters.map(\.id)
        waiters = []
        actions = settle(actions, at: now)
        guard !left.isEmpty else { return actions }
        return actions + [.answer(left, .unavailable(retryAfter: .seconds(1)))]
    }
}
