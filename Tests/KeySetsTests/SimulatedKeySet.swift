import JOSE
import KeySets
import TokenVerification

/// A lifecycle, an issuer that answers after a moment or not at all, and a clock controlled by the test.
final class SimulatedKeySet {
    private var lifecycle: KeySetLifecycle
    private(set) var now: Double
    private(set) var fetches = 0
    private(set) var found = 0
    /// Key IDs confirmed as unknown (401), those left undecided, and those without an allowed fetch (503).
    private(set) var refused: [String] = []
    private(set) var undecided: [String] = []
    private(set) var unasked: [String] = []
    private let answer: (Double) throws -> KeySet?
    private var wakeUpAt: Double?
    private var underWay: (number: UInt64, endsAt: Double)?
    private var waiting: [UInt64: String] = [:]
    private var lastWaiter: UInt64 = 0

    /// Response time of the issuer in seconds.
    static let latency = 0.05

    /// - Parameter answer: returns the document at that second. It is nil while the issuer is down.
    init(_ configuration: KeySetConfiguration, at seconds: Double = 0, _ answer: @escaping (Double) throws -> KeySet?) {
        lifecycle = KeySetLifecycle(configuration)
        now = seconds
        self.answer = answer
    }

    private var moment: Moment { LifecycleStage.moment(now) }

    var saved: SavedKeySet? { lifecycle.saved }

    var counters: KeySetCounters { lifecycle.counters }

    var isUnconfirmed: Bool { lifecycle.isUnconfirmed }

    func beginRestoring() { handle(lifecycle.beginRestoring(at: moment)) }

    func start(restoring saved: SavedKeySet? = nil) {
        handle(lifecycle.start(restoring: saved, at: moment, jitter: 0.5))
    }

    /// Advances the time, and runs everything that falls due.
    func run(until end: Double) throws {
        while let next = [wakeUpAt, underWay?.endsAt].compactMap({ $0 }).min(), next <= end {
            now = max(now, next)
            if let underWay, underWay.endsAt <= now { try finish(underWay.number) } else { wake() }
        }
        now = end
    }

    /// Sends one request with a token that names this key.
    func lookUp(_ keyID: String) {
        let snapshot = lifecycle.snapshot
        if !snapshot.isTooStale(at: moment.date), snapshot.keys?.contains(keyID: keyID) == true { return found += 1 }
        lastWaiter += 1
        waiting[lastWaiter] = keyID
        handle(lifecycle.requestNeedsKey(keyID, waiter: lastWaiter, at: moment))
    }

    private func wake() {
        wakeUpAt = nil
        // A timer is never early.
        now += 0.001
        handle(lifecycle.wakeUp(at: moment, jitter: 0.5))
    }

    private func finish(_ number: UInt64) throws {
        underWay = nil
        guard let keys = try answer(now) else { return handle(lifecycle.fetchFailed(number, at: moment, jitter: 0.5)) }
        handle(lifecycle.fetchSucceeded(number, with: keys, at: moment, jitter: 0.5))
    }

    private func handle(_ actions: [KeySetLifecycle.Action]) {
        for action in actions {
            switch action {
            // The source has a set, so no key is fetched alone.
            case .startFetch(let number), .startKeyFetch(let number, _):
                fetches += 1
                underWay = (number, now + Self.latency)
            case .cancelFetch: underWay = nil
            case .publish: break
            case .answer(let waiters, let answer): for waiter in waiters { note(answer, to: waiter) }
            case .scheduleWakeUp(let instant):
                wakeUpAt = LifecycleStage.beginning.instant.duration(to: instant).inSeconds
            }
        }
    }

    private func note(_ answer: KeyAnswer, to waiter: UInt64) {
        guard let keyID = waiting.removeValue(forKey: waiter) else { return }
        switch answer {
        // The result of the request's second lookup counts.
        case .keysChanged where lifecycle.snapshot.keys?.contains(keyID: keyID) == true: found += 1
        case .keysChanged, .confirmedUnknown: refused.append(keyID)
        case .unavailable: undecided.append(keyID)
        case .notAsked: unasked.append(keyID)
        }
    }
}
