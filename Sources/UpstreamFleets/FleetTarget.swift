import ProxySettings

/// What a fleet knows of one target.
struct FleetTarget: Sendable {
    /// What failures alone make of a latency, at most.
    private static let slowest: Double = 5_000_000_000
    /// After which a latency is half forgotten.
    private static let halfLife: Double = 1_000_000_000

    let weight: Double
    /// By which keys find it: the same in every process, wherever it stands in the file.
    let identity: UInt64
    var inFlight = 0
    /// New connections that are being made.
    var connecting = 0
    /// Of weighted round robin.
    var credit = 0.0
    /// Whether one request tries whether it is back.
    var isBeingProbed = false
    /// Whether no request tries it before a connection was there: the last attempts found none.
    private(set) var needsConnection = false
    /// Whether such a connection is being made.
    var isBeingReached = false
    /// Whether it is no target any more: it gets no requests, and ends those that it has.
    var hasLeft = false
    /// Smoothed, in nanoseconds; nil: it has not answered yet.
    private(set) var latency: Double?
    private(set) var latencyAt: Int64 = 0
    /// Until when it is left out; nil: it is in.
    private var ejectedUntil: Int64?
    private var ejectionCause: FleetFailure?
    /// Whether an operator took it out.
    private(set) var isDrained = false
    /// Health checks that ended otherwise than the target stands, in a row.
    private var contraryChecks = 0
    /// Why its health checks leave it out; nil: they do not.
    private var checkFault: CheckFault?
    /// When it was left out, or came back.
    private(set) var changedAt: Int64?
    /// When it came back; nil: it was never out.
    private(set) var returnedAt: Int64?

    init(_ member: FleetMember) {
        weight = Double(max(1, member.weight))
        identity = Draws.identity(of: member.name)
    }

    var isEjected: Bool { ejectedUntil != nil }
    var isDown: Bool { checkFault != nil }
    /// Whether it is no target any more, and has no request.
    var isGone: Bool { hasLeft && inFlight == 0 && connecting == 0 }
    var isIn: Bool { !isEjected && !isDown && !isDrained && !hasLeft }
    /// Why it is left out.
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

    /// A connection is there: a request may try whether it is back.
    mutating func wasReached() { needsConnection = false }

    mutating func comeBack(at now: Int64) {
        ejectedUntil = nil
        ejectionCause = nil
        needsConnection = false
        begin(at: now)
    }

    /// Requests go to it again, or for the first time. What it did before says nothing about it now.
    mutating func begin(at now: Int64) {
        (changedAt, returnedAt) = (now, now)
        latency = nil
    }

    /// An operator takes it out, or brings it back, whatever else speaks against it.
    mutating func drain(_ isDrained: Bool, at now: Int64) {
        guard isDrained != self.isDrained else { return }
        self.isDrained = isDrained
        if isIn { begin(at: now) } else { changedAt = now }
    }

    // MARK: Health checks

    /// A check ended; whether that changes where the target stands.
    ///
    /// - Parameter fault: nil: it is well.
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

    /// The earliest time at which it may be back, in nanoseconds from now.
    func returnsAfter(_ check: HealthCheck?, at now: Int64) -> Int64 {
        guard !isDrained else { return .max }
        guard !isDown, let ejectedUntil else { return check?.interval.nanoseconds ?? 0 }
        return ejectedUntil &- now
    }

    // MARK: Latency

    /// A longer one counts as eight times the last at most: one request in a hundred that takes long by its nature says
    /// nothing about its target, and a target that has become slow is known after a few.
    @inline(__always)
    mutating func note(latency sample: Double, at now: Int64) {
        let kept = min(Self.remembered(after: now &- latencyAt), Self.mostKept)
        latencyAt = now
        guard let latency else { return latency = sample }
        let sample = min(sample, latency * 8)
        self.latency = sample + (latency - sample) * kept
    }

    /// As after a failure: requests prefer others for a few seconds.
    mutating func countAsSlower(at now: Int64) {
        latency = latency.map { max($0, min($0 * 4, Self.slowest)) }
        latencyAt = now
    }

    /// 1 for a target up to twice as slow as the best one, then in proportion. A latency that is not renewed is
    /// forgotten, so that a slow target is tried again.
    static func slowness(_ latency: Double?, noted latencyAt: Int64, best: Double, at now: Int64) -> Double {
        guard let latency, latency > 2 * best, best > 0 else { return 1 }
        return max(1, latency * remembered(after: now &- latencyAt) / (2 * best))
    }

    /// Of a sample that follows at once on another: so that one quick answer does not make up for a slow one.
    private static let mostKept = 0.9

    /// What is left of a latency: half after each half-life, and in between on a straight line.
    private static func remembered(after age: Int64) -> Double {
        let lives = max(0, Double(age)) / halfLife
        guard lives < 64 else { return 0 }
        let whole = UInt64(lives)
        return (1 - (lives - Double(whole)) / 2) / Double(UInt64(1) &<< whole)
    }
}

/// Failures of a target in a row, of which answers count once for each client.
struct FailureRow: Sendable {
    private(set) var count = 0
    private var clients: [ClientKey] = []

    mutating func add() { count &+= 1 }

    /// Counts an answer; false if one to the same client counts already.
    mutating func add(client: ClientKey) -> Bool {
        guard !clients.contains(client) else { return false }
        // No more than failures that count: those end the row.
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
