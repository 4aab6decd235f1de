import JOSE
import KeySets
import TokenVerification

/// A lifecycle with a clock controlled by the test, in seconds since its start.
final class LifecycleStage {
    static let beginning = Moment(instant: .now, date: NumericDate(seconds: 1_790_000_000))

    var lifecycle: KeySetLifecycle
    /// Times at which the lifecycle asked to be woken, the latest last.
    private(set) var wakeUps: [Double] = []
    private(set) var publications = 0

    init(succeeding predecessor: KeySetSuccession? = nil, _ change: (inout KeySetConfiguration) -> Void = { _ in }) {
        lifecycle = KeySetLifecycle(Self.configuration(change), succeeding: predecessor)
    }

    static func configuration(_ change: (inout KeySetConfiguration) -> Void = { _ in }) -> KeySetConfiguration {
        var configuration = KeySetConfiguration(
            source: .jwkSetURL("https://id.example/keys"), issuer: "https://id.example")
        change(&configuration)
        return configuration
    }

    static func moment(_ seconds: Double) -> Moment {
        beginning.advanced(by: .milliseconds(Int64(seconds * 1000)))
    }

    var snapshot: KeySetSnapshot { lifecycle.snapshot }

    var saved: SavedKeySet? { lifecycle.saved }

    var configuration: KeySetConfiguration { lifecycle.configuration }

    var counters: KeySetCounters { lifecycle.counters }

    var isUnconfirmed: Bool { lifecycle.isUnconfirmed }

    var firstFetchHasEnded: Bool { lifecycle.firstFetchHasEnded }

    var keyIDs: [String] { snapshot.keys?.keys.compactMap(\.keyID).sorted() ?? [] }

    /// Seconds from the start until the next scheduled attempt. Nil if none is scheduled.
    var nextFetch: Double? { lifecycle.nextFetch.map { Self.seconds($0.instant) } }

    private static func seconds(_ instant: ContinuousClock.Instant) -> Double {
        (beginning.instant.duration(to: instant).inSeconds * 1000).rounded() / 1000
    }

    /// Removes the actions that only concern the runner.
    private func note(_ actions: [KeySetLifecycle.Action]) -> [KeySetLifecycle.Action] {
        actions.filter { action in
            switch action {
            case .publish:
                publications += 1
                return false
            case .scheduleWakeUp(let instant):
                wakeUps.append(Self.seconds(instant))
                return false
            default:
                return true
            }
        }
    }

    func beginsRestoring(at seconds: Double = 0) -> [KeySetLifecycle.Action] {
        note(lifecycle.beginRestoring(at: Self.moment(seconds)))
    }

    func start(restoring saved: SavedKeySet? = nil, at seconds: Double = 0, jitter: Double = 0.5) -> [KeySetLifecycle
        .Action]
    {
        note(lifecycle.start(restoring: saved, at: Self.moment(seconds), jitter: jitter))
    }

    func needs(_ keyID: String?, waiter: UInt64, at seconds: Double) -> [KeySetLifecycle.Action] {
        note(lifecycle.requestNeedsKey(keyID, waiter: waiter, at: Self.moment(seconds)))
    }

    func succeeds(
        _ number: UInt64,
        with keys: KeySet,
        freshness: Duration? = nil,
        answering unasked: Set<String> = [],
        at seconds: Double,
        jitter: Double = 0.5,
    ) -> [KeySetLifecycle.Action] {
        note(
            lifecycle.fetchSucceeded(
                number, with: keys, freshness: freshness, answering: unasked, at: Self.moment(seconds), jitter: jitter))
    }

    func findsNothingNew(_ number: UInt64, answering unasked: Set<String> = [], at seconds: Double) -> [KeySetLifecycle
        .Action]
    {
        note(lifecycle.fetchFoundNothingNew(number, answering: unasked, at: Self.moment(seconds), jitter: 0.5))
    }

    func fails(_ number: UInt64, retryAfter: Duration? = nil, at seconds: Double, jitter: Double = 0.5)
        -> [KeySetLifecycle.Action]
    {
        note(lifecycle.fetchFailed(number, retryAfter: retryAfter, at: Self.moment(seconds), jitter: jitter))
    }

    func wakes(at seconds: Double) -> [KeySetLifecycle.Action] {
        note(lifecycle.wakeUp(at: Self.moment(seconds), jitter: 0.5))
    }

    /// Feeds another event to the lifecycle.
    func perform(_ event: (inout KeySetLifecycle) -> [KeySetLifecycle.Action]) -> [KeySetLifecycle.Action] {
        note(event(&lifecycle))
    }

    func sourceChanges(at seconds: Double) -> [KeySetLifecycle.Action] {
        note(lifecycle.sourceChanged(at: Self.moment(seconds)))
    }

    func stop(at seconds: Double) -> [KeySetLifecycle.Action] {
        note(lifecycle.stop(at: Self.moment(seconds)))
    }

    /// A stage that has fetched its first keys at second 0.
    static func withKeys(_ keyIDs: [String], _ change: (inout KeySetConfiguration) -> Void = { _ in }) throws
        -> LifecycleStage
    {
        let stage = LifecycleStage(change)
        _ = stage.start()
        _ = stage.succeeds(1, with: try SampleKeys.keySet(keyIDs), at: 0)
        return stage
    }
}
