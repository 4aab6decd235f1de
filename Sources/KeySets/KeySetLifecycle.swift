import JOSE
import TokenVerification

/// The life of one key set: when to fetch, who waits, what each waiting request is told.
///
/// A state machine without I/O and without a clock: each event returns the actions to carry out, in order. The rules:
/// * One fetch at a time. Its number tells it from the one before; the end of any other fetch means nothing.
/// * No failed or unusable answer replaces a good set; past ``KeySetConfiguration/staleLimit`` the set stays, marked by
///   its age.
/// * A set saved before a restart is served until a fetch confirms or replaces it, and confirms no key ID to be
///   unknown.
/// * A key that left the document is used until its retention is over, to the second, whatever else happens.
/// * Without usable keys, requests wait for the fetch under way; between attempts they are answered at once.
/// * A set that is too old although no fetch failed (the clock was set) is fetched at the next request for it.
/// * A key ID that the set does not have is fetched for as far as ``FetchAllowance`` goes. It is confirmed unknown only
///   by a fetch that began after the request came and succeeded; then it costs no fetch again for a minute, or until
///   the keys change. A fetch that finds the key is given back. Where no fetch is allowed, the request is told when one
///   is: nobody has been asked about its key.
/// * No request waits longer than ``KeySetConfiguration/fetchDeadline``, and each is answered exactly once.
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
        /// Whether the allowance was used for it.
        let usedAllowance: Bool
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
    /// Whether the first attempt has ended, well or badly, or was not needed.
    public var firstFetchHasEnded: Bool { lastOutcome != .none || phase == .stopped || restoredUsableKeys }
    /// Time at which the next attempt is due by itself. Nil before the start and after the stop.
    public internal(set) var nextFetch: Moment?
    public internal(set) var counters: KeySetCounters
    /// Whether the keys were read from disk and no fetch has confirmed them yet.
    public internal(set) var isUnconfirmed: Bool

    var phase = Phase.idle
    /// Until when the start waits for what was saved.
    var restoringUntil: ContinuousClock.Instant?
    var restoredUsableKeys = false
    /// The keys of the last good answer, without those that are kept beside it.
    var document: KeySet?
    var keys: KeySet?
    var fetchedAt: NumericDate?
    var generation: UInt64
    var fetch: Fetch?
    var lastNumber: FetchNumber = 0
    var lastOutcome = Outcome.none
    var failures = 0
    var mustFetchAgain = false
    var allowance: FetchAllowance
    var refused = RefusedKeyIDs()
    var retention: KeyRetention
    var waiters: [Waiter] = []
    var wakeUpAt: ContinuousClock.Instant?

    /// A lifecycle that has not started; it continues from its predecessor's state, if there is one.
    public init(_ configuration: KeySetConfiguration, succeeding predecessor: KeySetSuccession? = nil) {
        self.configuration = configuration
        allowance = FetchAllowance(burst: configuration.unknownKeyIDBurst, interval: configuration.unknownKeyIDInterval)
        retention = KeyRetention(retention: configuration.retention, limit: configuration.keyLimit)
        counters = predecessor?.counters ?? KeySetCounters()
        isUnconfirmed = predecessor?.isUnconfirmed ?? false
        generation = predecessor?.generation ?? 0
        document = predecessor?.saved?.document
        fetchedAt = predecessor?.saved?.fetchedAt
        if let saved = predecessor?.saved {
            retention.restore(saved.kept, beside: saved.document)
            keys = retention.keys(beside: saved.document)
        }
        snapshot = KeySetSnapshot(
            keys: keys,
            fetchedAt: fetchedAt,
            staleLimit: configuration.staleLimit,
            lastFetchSucceeded: predecessor?.lastFetchSucceeded ?? false,
            generation: generation,
        )
    }

    /// The last good answer with its kept keys. Nil if there has been none.
    public var saved: SavedKeySet? {
        guard let document, let fetchedAt else { return nil }
        return SavedKeySet(document: document, fetchedAt: fetchedAt, kept: retention.kept)
    }

    /// The state from which a successor under other rules continues.
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

// MARK: The end of each event

extension KeySetLifecycle {
    /// Adds what follows from the new state: a snapshot before any answer that refers to it, and the next instant to
    /// wake up.
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
        snapshot.refused = refused
        let canFetch = phase == .running && (fetch != nil || allowed.map { $0 <= now.instant } ?? false)
        snapshot.canWait = canFetch || phase == .restoring
        snapshot.nextAttempt =
            snapshot.canWait ? nil : nextAttempt(at: now).map { now.date + now.instant.duration(to: $0) }
        return old.generation != snapshot.generation || old.fetchedAt != snapshot.fetchedAt
            || old.canWait != snapshot.canWait
            || old.lastFetchSucceeded != snapshot.lastFetchSucceeded || old.nextAttempt != snapshot.nextAttempt
            || old.refused.version != snapshot.refused.version
    }

    private func nextWakeUp(at now: Moment) -> ContinuousClock.Instant? {
        guard phase == .running || phase == .restoring else { return nil }
        // Each waits as long as those before it, so the first one's deadline is the first; many may wait, and each
        // comes here.
        var candidates = waiters.first.map { [$0.deadline] } ?? []
        if phase == .restoring, let restoringUntil { candidates.append(restoringUntil) }
        if let expiry = retention.nextExpiry {
            // A kept key must not outlive its time for want of an event. The clocks may differ a little: never at once
            // again.
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
