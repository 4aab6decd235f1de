import JOSE
import TokenVerification

extension KeySetLifecycle {
    /// Longest wait of the start for the saved keys on a slow disk.
    static let restoreLimit = Duration.seconds(2)

    /// Begins to read the saved key set; ``start(restoring:at:jitter:)`` follows. Requests wait for it as for a first
    /// fetch.
    public mutating func beginRestoring(at now: Moment) -> [Action] {
        guard phase == .idle else { return [] }
        phase = .restoring
        restoringUntil = now.instant.advanced(by: Self.restoreLimit)
        return settle([], at: now)
    }

    /// Begins with a fetch, unless a predecessor's keys are still fresh.
    ///
    /// A set saved on disk is served meanwhile and fetched anew however fresh it is: what changed while nothing ran is
    /// learnt at once. It is ignored where a predecessor's keys are there already.
    public mutating func start(restoring saved: SavedKeySet? = nil, at now: Moment, jitter: Double) -> [Action] {
        guard phase == .idle || phase == .restoring else { return [] }
        phase = .running
        if let saved, document == nil { restore(saved, at: now) }
        guard !isUnconfirmed, let fetchedAt, snapshot.lastFetchSucceeded, fetchedAt <= now.date,
            now.date < fetchedAt + configuration.refreshInterval
        else {
            // In this order: the fetch begins after the requests came that wait already.
            return settle(answerFound(at: now) + [beginFetch(at: now)], at: now)
        }
        lastOutcome = .succeeded
        nextFetch = now.advanced(by: refreshDelay(freshness: configuration.refreshInterval, jitter: jitter))
        return settle([], at: now)
    }

    private mutating func restore(_ saved: SavedKeySet, at now: Moment) {
        document = saved.document
        fetchedAt = saved.fetchedAt
        isUnconfirmed = true
        generation &+= 1
        retention.restore(saved.kept, beside: saved.document)
        _ = retention.expire(at: now.date)
        keys = retention.keys(beside: saved.document)
        restoredUsableKeys = usableKeys(at: now) != nil
    }

    /// Ends everything; requests that wait, or come later, are told to retry.
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
