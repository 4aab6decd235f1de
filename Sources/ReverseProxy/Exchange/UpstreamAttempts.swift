import HTTPMessages
import ProxySettings
import Telemetry
import UpstreamFleets

/// Attempts to get one request answered: the target of the current one, and the targets that failed.
struct UpstreamAttempts {
    /// Target of the current attempt, or of the last one if none is under way. Nil before the first attempt.
    private(set) var pool: TargetPool?
    /// Slot of the current attempt in its fleet. Nil for a single server that needs no fleet.
    private var seat: FleetSeat?
    /// Targets of the fleet that failed the request.
    private(set) var tried = TargetSet()
    private(set) var count = 0
    /// Start of the current attempt; monotonic, in nanoseconds. Nil if its outcome is counted, or there is none.
    private var startedAt: Int64?
    /// True if attempts that fail are noted, because the request has a trace.
    private var isTraced = false
    /// Spans of the attempts. Nil before one is noted.
    private(set) var spans: AttemptSpans?

    /// True if the number of attempts allows another.
    var mayFollow: Bool { count < (seat == nil ? FixedLimits.attempts : Fleet.mostAttempts) }

    /// Begins an attempt.
    ///
    /// - Parameters:
    ///   - isTraced: true if the request has a trace.
    ///   - span: span of the attempt. Nil if the request is not recorded.
    /// - Returns: True if an open connection may be used. A further attempt at the same target needs a fresh one: the
    ///   problem of the first idle connection may affect all.
    mutating func begin(at target: TargetLease, _ now: Int64, isTraced: Bool, _ span: SpanID?) -> Bool {
        let mayBeReady = count == 0 || target.seat.map { !tried.contains($0.choice.target) } ?? false
        (pool, startedAt) = (target.pool, now)
        // Most upstreams have no fleet, and writing nil over nil is not free.
        if seat != nil || target.seat != nil { seat = target.seat }
        count += 1
        self.isTraced = isTraced
        if let span { note(span, at: target.pool, now) }
        return mayBeReady
    }

    private mutating func note(_ span: SpanID, at pool: TargetPool, _ now: Int64) {
        guard let spans else { return spans = AttemptSpans(span, at: pool.spanTarget, now) }
        spans.began(span, at: pool.spanTarget, now)
    }

    /// Returns the slot's target choice if the slot belongs to an idle connection on this loop. The request must then
    /// use or close that connection. Nil for any other slot, without a slot, and at the next call.
    mutating func takeReplacement() -> FleetChoice? { seat?.takeReplacement() }

    mutating func connectionBegan() { seat?.connectionBegan() }

    mutating func connectionEnded() { seat?.connectionEnded() }

    /// Gives the slot in the fleet back.
    mutating func leaveSeat() {
        guard var seat = seat.take() else { return }
        tried.insert(seat.choice.target)
        seat.leave()
    }

    /// Leaves the slot with the connection that is still being opened for this request, which has ended meanwhile. Does
    /// nothing if that connection is open already.
    mutating func handSeat(to carrier: (any UpstreamCarrier)?) {
        guard let seat, seat.isConnecting, let connection = carrier as? UpstreamConnection else { return }
        self.seat = nil
        connection.inherit(seat, isCounted: startedAt == nil)
    }

    // MARK: Outcomes

    /// Counts the current attempt as answered with a response head.
    ///
    /// - Parameter request: Makes the rule and client that the fleet counts.
    mutating func answered(
        _ status: Int, at now: Int64, in tally: UpstreamTally, _ request: (_ status: Int) -> FleetRequest
    ) {
        guard let startedAt, let pool else { return }
        self.startedAt = nil
        let duration = now &- startedAt
        spans?.answered(status)
        if let outcome = UpstreamOutcome(status: status) { tally.answered(pool.row, outcome, after: duration) }
        // Read two properties, because a copy of the slot would be expensive.
        guard let fleet = seat?.fleet, let choice = seat?.choice else { return }
        fleet.answered(choice, status: status, request(status), after: duration, at: now)
    }

    /// Counts the current attempt as failed, unless its outcome was counted before.
    mutating func failed(_ failure: UpstreamFailure, in tally: UpstreamTally) {
        failed(failure.outcome, failure.fleetFailure, in: tally)
    }

    mutating func failed(_ outcome: UpstreamOutcome, in tally: UpstreamTally) {
        failed(outcome, outcome.fleetFailure, in: tally)
    }

    private mutating func failed(_ outcome: UpstreamOutcome, _ failure: FleetFailure?, in tally: UpstreamTally) {
        guard let began = startedAt, let pool else { return }
        startedAt = nil
        if isTraced {
            if spans == nil { note(.random(), at: pool, began) }
            spans?.failed(outcome, at: pool.spanTarget, startedAt: began)
        }
        tally.failed(pool.row, outcome)
        if let seat, let failure { seat.fleet.failed(seat.choice, failure, at: EventLoopClock.now()) }
    }

    /// True if the configuration and the state of the request allow another attempt.
    func mayRetry(
        _ retries: FleetSettings.Retries, after failure: AttemptFailure, isReplayable: Bool, isHeld: Bool
    ) -> Bool {
        guard let seat else {
            return mayFollow && retries.allow(failure, isReplayable: isReplayable, isHeld: isHeld)
        }
        return seat.fleet.retries(
            failure, after: count, isReplayable: isReplayable, isHeld: isHeld, at: EventLoopClock.now())
    }
}
