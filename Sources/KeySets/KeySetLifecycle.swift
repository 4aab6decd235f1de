import JOSE
import TokenVerification

/// Lifecycle of one key set: when it is fetched, which requests wait, and the answer to each.
///
/// A state machine without I/O and without a clock: each event returns the actions to carry out, in order. The rules:
/// * One fetch runs at a time. Its number distinguishes it from earlier ones; results of any other fetch are ignored.
/// * No failed or unusable answer replaces a valid set. Past ``KeySetConfiguration/staleLimit`` the set stays in the
///   snapshot, but its age marks it as too old.
/// * A set saved before a restart is used until a fetch confirms or replaces it. It cannot confirm that a key ID is
///   unknown.
/// * A key that left the document is used until exactly the end of its retention, regardless of other events.
/// * Without usable keys, requests wait for the fetch under way. Between attempts they are answered at once.
/// * A set that is too old although no fetch failed (the clock was set) is fetched at the next request for it.
/// * A key ID that the set does not have causes a fetch, as ``FetchAllowance`` permits. Only a successful fetch that
///   began after the request came confirms that the key ID is unknown. Then it causes no fetch for a minute, or until
///   the keys change. A fetch that finds the key is given back to the allowance. If no fetch is allowed, the answer to
///   the request states when one is; it does not claim that the key is unknown.
/// * Of a source with single keys, each key is fetched when a request needs it, and again before it becomes too old. A
///   fetch says nothing about any other key. Keys live in ``KeyRetention``, and the document stays empty.
/// * No request waits longer than ``KeySetConfiguration/fetchDeadline``, and each is answered exactly once.
///
/// Events with a `jitter` take a random number in 0..<1.
public struct KeySetLifecycle: ~Copyable, Sendable {
    public typealias WaiterID = UInt64
    public typealias FetchNumber = UInt64

    public enum Action: Sendable, Hashable {
        /// Fetch, and report the result under this number.
        case startFetch(FetchNumber)
        /// Fetch this key alone, and report the result under this number.
        case startKeyFetch(FetchNumber, keyID: String)
        /// Cancel this fetch; its result is no longer needed.
        case cancelFetch(FetchNumber)
        /// ``KeySetLifecycle/snapshot`` has changed.
        case publish
        case answer([WaiterID], KeyAnswer)
        /// Call ``KeySetLifecycle/wakeUp(at:jitter:)`` at this instant, instead of at any instant scheduled before.
        case scheduleWakeUp(at: ContinuousClock.Instant)
    }

    struct Waiter {
        let id: WaiterID
        let keyID: String?
        /// Number of the last fetch that began before the request came. Only a later fetch can confirm that its key is
        /// unknown.
        let lastFetchBefore: FetchNumber
        let deadline: ContinuousClock.Instant
    }

    struct Fetch {
        let number: FetchNumber
        let startedAt: ContinuousClock.Instant
        /// True if the fetch was taken from the allowance.
        let usedAllowance: Bool
        /// The key that is fetched alone. Nil if the whole set is fetched.
        let keyID: String?
    }

    enum Phase {
        case idle, restoring, running, stopped
    }

    enum Outcome {
        case none, succeeded, failed
    }

    public let configuration: KeySetConfiguration
    /// State that requests may read; published when an event returns ``Action/publish``.
    public private(set) var snapshot: KeySetSnapshot
    /// True if the first attempt has succeeded or failed, or was not needed.
    public var firstFetchHasEnded: Bool { lastOutcome != .none || phase == .stopped || restoredUsableKeys }
    /// Time at which the next attempt is due without a request. Nil before the start and after the stop.
    public internal(set) var nextFetch: Moment?
    public internal(set) var counters: KeySetCounters
    /// True if the keys were read from disk and no fetch has confirmed them yet.
    public internal(set) var isUnconfirmed: Bool

    var phase = Phase.idle
    /// Time until which the start waits for the saved key set. Nil if the start never began to wait.
    var restoringUntil: ContinuousClock.Instant?
    var restoredUsableKeys = false
    /// The keys of the last valid answer, without the kept keys. Nil before the first valid answer.
    var document: KeySet?
    var keys: KeySet?
    var fetchedAt: NumericDate?
    var generation: UInt64
    var fetch: Fetch?
    var lastNumber: FetchNumber = 0
    var lastOutcome = Outcome.none
    var failures = 0
    /// Cause of the last failure. Nil if none failed, or its cause is not known.
    var failureCause: String?
    var mustFetchAgain = false
    var allowance: FetchAllowance
    var refused = RefusedKeyIDs()
    var retention: KeyRetention
    var waiters: [Waiter] = []
    /// IDs of single keys that are to be fetched again, in this order.
    var dueKeys: [String] = []
    var wakeUpAt: ContinuousClock.Instant?

    /// Makes a lifecycle that has not started. It continues from its predecessor's state, if there is one.
    public init(_ configuration: KeySetConfiguration, succeeding predecessor: KeySetSuccession? = nil) {
        self.configuration = configuration
        allowance = FetchAllowance(burst: configuration.unknownKeyIDBurst, interval: configuration.unknownKeyIDInterval)
        retention = KeyRetention(retention: configuration.keptRetention, limit: configuration.keyLimit)
        counters = predecessor?.counters ?? KeySetCounters()
        isUnconfirmed = predecessor?.isUnconfirmed ?? false
        generation = predecessor?.generation ?? 0
        document = predecessor?.saved?.document
        fetchedAt = predecessor?.saved?.fetchedAt
        if let saved = predecessor?.saved {
            retention.restore(saved.kept, beside: saved.document)
            keys = retention.keys(beside: saved.document)
        }
        if configuration.source.hasSingleKeys {
            let none = KeySet(keys: [])
            document = none
            if predecessor?.saved == nil { keys = none }
        }
        snapshot = KeySetSnapshot(
            keys: keys,
            fetchedAt: fetchedAt,
            staleLimit: configuration.staleLimit,
            lastFetchSucceeded: predecessor?.lastFetchSucceeded ?? false,
            soleKeyID: configuration.source.soleKeyID,
            hasSingleKeys: configuration.source.hasSingleKeys,
            generation: generation,
        )
    }

    /// The last valid answer and the kept keys. Nil if there has been no valid answer.
    public var saved: SavedKeySet? {
        guard let document, let fetchedAt else { return nil }
        return SavedKeySet(document: document, fetchedAt: fetchedAt, kept: retention.kept)
    }

    /// State from which a successor with another configuration continues.
    public var succession: KeySetSuccession {
        KeySetSuccession(
            saved: saved,
            generation: generation,
            lastFetchSucceeded: snapshot.lastFetchSucceeded,
            counters: counters,
            isUnconfirmed: isUnconfirmed,
        )
    }
}

// MARK: End of each event

extension KeySetLifecycle {
    /// Adds the actions that follow from the new state: a new snapshot, before any answer that refers to it, and the
    /// next wake-up.
    mutating func settle(_ actions: [Action], at now: Moment) -> [Action] {
        var settled = actions
        if phase != .stopped, retention.expire(at: now.date) { useKeysOfDocument() }
        refused.expire(at: now.instant)
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
        snapshot.lastFailure = lastOutcome == .failed ? failureCause : nil
        snapshot.refused = refused
        let canFetch = phase == .running && (fetch != nil || allowed.map { $0 <= now.instant } ?? false)
        snapshot.canWait = canFetch || phase == .restoring
        snapshot.nextAttempt =
            snapshot.canWait ? nil : nextAttempt(at: now).map { now.date + now.instant.duration(to: $0) }
        return old.generation != snapshot.generation || old.fetchedAt != snapshot.fetchedAt
            || old.canWait != snapshot.canWait
            || old.lastFetchSucceeded != snapshot.lastFetchSucceeded || old.lastFailure != snapshot.lastFailure
            || old.nextAttempt != snapshot.nextAttempt
            || old.refused.version != snapshot.refused.version
    }

    private func nextWakeUp(at now: Moment) -> ContinuousClock.Instant? {
        guard phase == .running || phase == .restoring else { return nil }
        // All requests wait equally long, so the first one has the earliest deadline. Searching all would be slow: many
        // may wait, and each request runs this.
        var candidates = waiters.first.map { [$0.deadline] } ?? []
        if phase == .restoring, let restoringUntil { candidates.append(restoringUntil) }
        if let expiry = retention.nextExpiry {
            // A wake-up ensures that a kept key expires in time without another event. The clocks may differ a little,
            // so the wake-up is at least a millisecond away.
            candidates.append(
                now.instant.advanced(by: max(.milliseconds(1), .seconds(expiry.seconds - now.date.seconds))))
        }
        if let fetch {
            candidates.append(abandonment(of: fetch))
        } else if let nextFetch {
            candidates.append(nextFetch.instant)
        }
        if let allowed = allowedFetch(at: now), allowed > now.instant { candidates.append(allowed) }
        if let end = refused.nextEnd { candidates.append(end) }
        return candidates.min()
    }
}
