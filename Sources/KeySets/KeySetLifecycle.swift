import JOSE
import TokenVerification

/// The life of one key set: when to fetch, who waits, what each waiting request is told.
///
/// A state machine without I/O and without a clock: each event returns the actions to carry out, in order. The rules:
/// * One fetch at a time. Its number tells it from the one before; the end of any other fetch means nothing.
/// * No failed or unusable answer replaces a good set; past ``KeySetConfiguration/staleLimit`` the set stays, marked by its age.
/// * Without usable keys, requests wait for the fetch under way; between attempts they are answered at once.
/// * A key ID that the set does not have is fetched for as far as ``FetchAllowance`` goes. It is confirmed unknown only by a fetch that
///   began after the request came and succeeded.
/// * Nobody waits longer than ``KeySetConfiguration/fetchDeadline``, and each request that waits is answered exactly once.
///
/// Events with a `jitter` take a random number in 0..<1.
public struct KeySetLifecycle: ~Copyable, Sendable {
    public typealias WaiterID = UInt64
    public typealias FetchNumber = UInt64

    public enum Action: Sendable, Hashable {
        /// Fetch, and report its end under this number.
        case startFetch(FetchNumber)
        /// Give up this fetch; its end is no longer of interest.
        case cancelFetch(FetchNumber)
        /// ``KeySetLifecycle/snapshot`` has changed.
        case publish
        case answer([WaiterID], KeyAnswer)
        /// Call ``KeySetLifecycle/wakeUp(at:jitter:)`` then, instead of at any instant named before.
        case scheduleWakeUp(at: ContinuousClock.Instant)
    }

    struct Waiter {
        let id: WaiterID
        let keyID: String?
        /// The last fetch that had begun when the request came; only a later one can confirm that its key is unknown.
        let lastFetchBefore: FetchNumber
        let deadline: ContinuousClock.Instant
    }

    struct Fetch {
        let number: FetchNumber
        let startedAt: ContinuousClock.Instant
    }

    enum Phase {
        case idle, running, stopped
    }

    enum Outcome {
        case none, succeeded, failed
    }

    public let configuration: KeySetConfiguration
    /// What requests may know; handed on whenever an event returns ``Action/publish``.
    public private(set) var snapshot: KeySetSnapshot
    /// Whether the first attempt has ended, well or badly, or was not needed.
    public var firstFetchHasEnded: Bool { lastOutcome != .none || phase == .stopped }
    /// When the next attempt is due by itself; nil before the start and after the stop.
    public private(set) var nextFetch: Moment?

    var phase = Phase.idle
    /// The keys of the last good answer, without those that are kept beside it.
    private var document: KeySet?
    var keys: KeySet?
    var fetchedAt: NumericDate?
    var generation: UInt64
    var fetch: Fetch?
    var lastNumber: FetchNumber = 0
    var lastOutcome = Outcome.none
    var failures = 0
    var mustFetchAgain = false
    var allowance: FetchAllowance
    var retention: KeyRetention
    var waiters: [Waiter] = []
    private var wakeUpAt: ContinuousClock.Instant?

    /// A lifecycle that has not started; a predecessor's or a saved snapshot is served until something newer comes.
    public init(_ configuration: KeySetConfiguration, restoring saved: KeySetSnapshot? = nil) {
        self.configuration = configuration
        document = saved?.keys
        keys = saved?.keys
        fetchedAt = saved?.fetchedAt
        generation = saved?.generation ?? 0
        allowance = FetchAllowance(burst: configuration.unknownKeyIDBurst, interval: configuration.unknownKeyIDInterval)
        retention = KeyRetention(retention: configuration.retention)
        snapshot = KeySetSnapshot(
            keys: saved?.keys,
            fetchedAt: saved?.fetchedAt,
            staleLimit: configuration.staleLimit,
            lastFetchSucceeded: saved?.lastFetchSucceeded ?? false,
            generation: saved?.generation ?? 0,
        )
        guard let keys, let fetchedAt else { return }
        _ = retention.merge(keys, at: fetchedAt)
    }
}

// MARK: Beginning and end

extension KeySetLifecycle {
    /// Begins with a fetch, unless what was restored is still fresh.
    public mutating func start(at now: Moment, jitter: Double) -> [Action] {
        guard phase == .idle else { return [] }
        phase = .running
        guard let fetchedAt, snapshot.lastFetchSucceeded, fetchedAt <= now.date, now.date < fetchedAt + configuration.refreshInterval else {
            return settle([beginFetch(at: now)], at: now)
        }
        lastOutcome = .succeeded
        nextFetch = now.advanced(by: refreshDelay(freshness: configuration.refreshInterval, jitter: jitter))
        return settle([], at: now)
    }

    /// Ends everything; requests that wait, or come later, are told to come back.
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

// MARK: Fetches

extension KeySetLifecycle {
    /// A fetch brought a set with at least one usable key; `freshness` is what its server promised, if anything.
    public mutating func fetchSucceeded(
        _ number: FetchNumber,
        with fetched: KeySet,
        freshness: Duration? = nil,
        at now: Moment,
        jitter: Double,
    ) -> [Action] {
        guard fetch?.number == number else { return [] }
        document = fetched
        replaceKeys(with: retention.merge(fetched, at: now.date))
        return fetchConfirmed(number, freshness: freshness, at: now, jitter: jitter)
    }

    /// A fetch was told that the document is still the one that was fetched before (304).
    public mutating func fetchFoundNothingNew(
        _ number: FetchNumber,
        freshness: Duration? = nil,
        at now: Moment,
        jitter: Double,
    ) -> [Action] {
        guard fetch?.number == number else { return [] }
        guard let document else { return fetchFailed(number, at: now, jitter: jitter) }
        replaceKeys(with: retention.merge(document, at: now.date))
        return fetchConfirmed(number, freshness: freshness, at: now, jitter: jitter)
    }

    /// A fetch failed, or its answer was of no use; `retryAfter` is what the server asked for.
    public mutating func fetchFailed(_ number: FetchNumber, retryAfter: Duration? = nil, at now: Moment, jitter: Double) -> [Action] {
        guard fetch?.number == number else { return [] }
        fetch = nil
        failures = min(failures + 1, 1_000)
        lastOutcome = .failed
        let backoff = Backoff()
        let asked = min(backoff.limit, max(.zero, retryAfter ?? .zero))
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
        guard phase == .running else { return [] }
        wakeUpAt = nil
        var actions = expireWaiters(at: now)
        if let fetch, abandonment(of: fetch) <= now.instant {
            // Only for a fetch that breaks its own deadline: without this, it would keep all others from beginning.
            actions += [.cancelFetch(fetch.number)] + fetchFailed(fetch.number, at: now, jitter: jitter)
        }
        if fetch == nil, let nextFetch, nextFetch.instant <= now.instant {
            actions.append(beginFetch(at: now))
        }
        return settle(actions, at: now)
    }

    mutating func beginFetch(at now: Moment) -> Action {
        lastNumber &+= 1
        mustFetchAgain = false
        fetch = Fetch(number: lastNumber, startedAt: now.instant)
        return .startFetch(lastNumber)
    }

    private mutating func replaceKeys(with new: KeySet) {
        if !new.hasSameKeys(as: keys) { generation &+= 1 }
        keys = new
    }

    private mutating func fetchConfirmed(_ number: FetchNumber, freshness: Duration?, at now: Moment, jitter: Double) -> [Action] {
        fetch = nil
        failures = 0
        lastOutcome = .succeeded
        fetchedAt = now.date
        nextFetch = now.advanced(by: refreshDelay(freshness: freshness, jitter: jitter))
        return settle(afterSuccess(of: number, at: now), at: now)
    }

    /// Four fifths of the time that the set is fresh, so that a new set is there before the old one has to be doubted.
    private func refreshDelay(freshness: Duration?, jitter: Double) -> Duration {
        let longest = max(configuration.refreshInterval, configuration.freshnessLimit)
        let fresh = min(longest, max(configuration.refreshInterval, freshness ?? .zero))
        return (fresh * 0.8).spread(byTenthAt: jitter)
    }

    private func abandonment(of fetch: Fetch) -> ContinuousClock.Instant {
        fetch.startedAt.advanced(by: configuration.fetchDeadline * 2)
    }
}

// MARK: The end of each event

extension KeySetLifecycle {
    /// Adds what follows from the new state: a snapshot before any answer that refers to it, and the next instant to wake up.
    mutating func settle(_ actions: [Action], at now: Moment) -> [Action] {
        var settled = actions
        if updateSnapshot(at: now) { settled.insert(.publish, at: 0) }
        guard let next = nextWakeUp(at: now), next != wakeUpAt else { return settled }
        wakeUpAt = next
        settled.append(.scheduleWakeUp(at: next))
        return settled
    }

    private mutating func updateSnapshot(at now: Moment) -> Bool {
        let old = snapshot
        let allowed = allowedFetch(at: now)
        snapshot.keys = keys
        snapshot.fetchedAt = fetchedAt
        snapshot.generation = generation
        snapshot.lastFetchSucceeded = lastOutcome == .succeeded
        snapshot.canWait = phase == .running && (fetch != nil || allowed.map { $0 <= now.instant } ?? false)
        snapshot.nextAttempt = snapshot.canWait ? nil : nextAttempt(at: now).map { now.date + now.instant.duration(to: $0) }
        return old.generation != snapshot.generation || old.fetchedAt != snapshot.fetchedAt || old.canWait != snapshot.canWait
            || old.lastFetchSucceeded != snapshot.lastFetchSucceeded || old.nextAttempt != snapshot.nextAttempt
    }

    private func nextWakeUp(at now: Moment) -> ContinuousClock.Instant? {
        guard phase == .running else { return nil }
        var candidates = waiters.map(\.deadline)
        if let fetch { candidates.append(abandonment(of: fetch)) } else if let nextFetch { candidates.append(nextFetch.instant) }
        if let allowed = allowedFetch(at: now), allowed > now.instant { candidates.append(allowed) }
        return candidates.min()
    }
}
