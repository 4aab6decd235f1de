import ProxySettings

/// State of one target of a fleet.
struct FleetTarget: Sendable {
    /// Largest latency that failures alone can cause, in nanoseconds.
    private static let slowest: Double = 5_000_000_000
    /// Time in nanoseconds after which a latency counts half.
    private static let halfLife: Double = 1_000_000_000

    let weight: Double
    /// Hash of the name, for rendezvous hashing. It is the same in every process and in any order of the file's
    /// targets.
    let identity: UInt64
    var inFlight = 0
    /// Number of new connections that are being made.
    var connecting = 0
    /// Credit in smooth weighted round robin. The target with the most credit is chosen.
    var credit = 0.0
    /// True while a request probes whether the target is back.
    var isBeingProbed = false
    /// True if a connection must succeed before a request may probe the target, because the last attempts found none.
    private(set) var needsConnection = false
    /// True while that connection is being made.
    var isBeingReached = false
    /// True if the target has left the upstream. It gets no new requests, and completes those that it has.
    var hasLeft = false
    /// Smoothed latency in nanoseconds. Nil if the target has not answered yet.
    private(set) var latency: Double?
    private(set) var latencyAt: Int64 = 0
    /// Time at which the ejection ends. Nil if the target is not ejected.
    private var ejectedUntil: Int64?
    private var ejectionCause: FleetFailure?
    /// True if an operator drained the target.
    private(set) var isDrained = false
    /// Number of consecutive health checks whose result contradicts the target's current state.
    private var contraryChecks = 0
    /// Fault for which health checks leave the target out. Nil if they do not.
    private var checkFault: CheckFault?
    /// Time at which the target was last left out, came back or was added to the fleet. Nil if it was in rotation from
    /// the start.
    private(set) var changedAt: Int64?
    /// Time at which the target came back, or was added to the fleet. Nil if it was in rotation from the start.
    private(set) var returnedAt: Int64?

    init(_ member: FleetMember) {
        weight = Double(max(1, member.weight))
        identity = Draws.identity(of: member.name)
    }

    var isEjected: Bool { ejectedUntil != nil }
    var isDown: Bool { checkFault != nil }
    /// True if the target has left the upstream and has no requests.
    var isGone: Bool { hasLeft && inFlight == 0 && connecting == 0 }
    var isIn: Bool { !isEjected && !isDown && !isDrained && !hasLeft }
    /// Reason that the target is left out. Nil if there is none.
    var cause: FleetFailure? { isDrained ? .drained : checkFault.map { .check($0) } ?? ejectionCause }

    func isDueForProbe(at now: Int64) -> Bool {
        guard let ejectedUntil else { return false }
        return ejectedUntil <= now && !isBeingProbed && !isDown && !isDrained && !hasLeft
    }

    mutating func eject(until end: Int64, for cause: FleetFailure, at now: Int64) {
        ejectedUntil = end
        ejectionCause = cause
        changedAt = now
        needsConnection = cause == .connect
    }

    /// Records that a connection was made. A request may now probe the target.
    mutating func wasReached() { needsConnection = false }

    mutating func comeBack(at now: Int64) {
        ejectedUntil = nil
        ejectionCause = nil
        needsConnection = false
        begin(at: now)
    }

    /// Begins the target's time in rotation, after an absence or for the first time. Forgets its latency.
    mutating func begin(at now: Int64) {
        (changedAt, returnedAt) = (now, now)
        latency = nil
    }

    /// Drains the target for an operator, or ends the drain; independent of ejection and health checks.
    mutating func drain(_ isDrained: Bool, at now: Int64) {
        guard isDrained != self.isDrained else { return }
        self.isDrained = isDrained
        if isIn { begin(at: now) } else { changedAt = now }
    }

    // MARK: Health checks

    /// Records the result of a health check. Returns true if it changes the target's state.
    ///
    /// - Parameter fault: the fault that was found. Nil if the target is healthy.
    mutating func checked(_ fault: CheckFault?, by check: HealthCheck, at now: Int64) -> Bool {
        guard (fault != nil) != isDown else {
            contraryChecks = 0
            // The last cause is the one to look for.
            if isDown { checkFault = fault }
            return false
        }
        contraryChecks &+= 1
        guard contraryChecks >= (fault == nil ? check.upAfter : check.downAfter) else { return false }
        contraryChecks = 0
        checkFault = fault
        if isIn { begin(at: now) } else { changedAt = now }
        return true
    }

    /// Earliest time at which the target may be back, in nanoseconds from now. `.max` if it is drained.
    func returnsAfter(_ check: HealthCheck?, at now: Int64) -> Int64 {
        guard !isDrained else { return .max }
        guard !isDown, let ejectedUntil else { return check?.interval.nanoseconds ?? 0 }
        return ejectedUntil &- now
    }

    // MARK: Latency

    /// Adds a latency sample, which counts as at most eight times the smoothed latency. One slow request in a hundred
    /// says nothing about its target. A target that has become slow still shows after a few.
    @inline(__always)
    mutating func note(latency sample: Double, at now: Int64) {
        let kept = min(Self.remembered(after: now &- latencyAt), Self.mostKept)
        latencyAt = now
        guard let latency else { return latency = sample }
        let sample = min(sample, latency * 8)
        self.latency = sample + (latency - sample) * kept
    }

    /// Raises the latency after a failure, so that requests prefer other targets for a few seconds.
    mutating func countAsSlower(at now: Int64) {
        latency = latency.map { max($0, min($0 * 4, Self.slowest)) }
        latencyAt = now
    }

    /// Factor for the load of a slow target: 1 up to twice the best latency, and proportional above that. A latency
    /// that is not renewed decays, so that a slow target is tried again.
    static func slowness(_ latency: Double?, noted latencyAt: Int64, best: Double, at now: Int64) -> Double {
        guard let latency, latency > 2 * best, best > 0 else { return 1 }
        return max(1, latency * remembered(after: now &- latencyAt) / (2 * best))
    }

    /// Largest share of the old latency that remains after a new sample. One quick answer must not make up for a slow
    /// one.
    private static let mostKept = 0.9

    /// Share of a latency that remains at an age in nanoseconds. It halves with each half-life, and is linear in
    /// between.
    private static func remembered(after age: Int64) -> Double {
        let lives = max(0, Double(age)) / halfLife
        guard lives < 64 else { return 0 }
        let whole = UInt64(lives)
        return (1 - (lives - Double(whole)) / 2) / Double(UInt64(1) &<< whole)
    }
}

/// Consecutive failures of a target. Failing responses count once per client.
struct FailureRow: Sendable {
    private(set) var count = 0
    private var clients: [ClientKey] = []

    mutating func add() { count &+= 1 }

    /// Counts a failing response. Returns false if one to the same client already counts.
    mutating func add(client: ClientKey) -> Bool {
        guard !clients.contains(client) else { return false }
        // As long as the row at most, and enough failures end the row.
        clients.append(client)
        count &+= 1
        return true
    }

    mutating func end() {
        guard count > 0 else { return }
        count = 0
        clients.removeAll()
    }
}
