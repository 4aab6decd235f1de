import HTTPMessages
import ProxySettings
import UpstreamFleets

/// The attempts to have one request answered: at which target the present one is, and which have failed.
struct UpstreamAttempts {
    /// The target of the present attempt.
    private(set) var pool: TargetPool?
    /// The slot of the present attempt in its fleet. Nil where there is nothing to choose.
    private var seat: FleetSeat?
    /// The targets of the fleet that failed the request.
    private(set) var tried = TargetSet()
    private(set) var count = 0
    /// When the present attempt began; monotonic, in nanoseconds. Nil if it has its outcome, or there is none.
    private var startedAt: Int64?

    /// Whether another attempt is possible at all.
    var mayFollow: Bool { count < (seat == nil ? FixedLimits.attempts : Fleet.mostAttempts) }

    /// Begins an attempt.
    ///
    /// - Returns: whether an open connection will do. A further attempt at one target gets a fresh one: what befell the
    ///   first idle one may have befallen all.
    mutating func begin(at target: TargetLease, _ now: Int64) -> Bool {
        let mayBeReady = count == 0 || target.seat.map { !tried.contains($0.choice.target) } ?? false
        (pool, seat, startedAt) = (target.pool, target.seat, now)
        count += 1
        return mayBeReady
    }

    /// The choice, if the request has to use or close an idle connection now, because it has the slot of one.
    mutating func takeReplacement() -> FleetChoice? { seat?.takeReplacement() }

    mutating func connectionBegan() { seat?.connectionBegan() }

    mutating func connectionEnded() { seat?.connectionEnded() }

    /// Gives the slot in the fleet back.
    mutating func leaveSeat() {
        guard var seat = seat.take() else { return }
        tried.insert(seat.choice.target)
        seat.leave()
    }

    /// Leaves the slot to a connection that is still being made.
    mutating func handSeat(to carrier: (any UpstreamCarrier)?) {
        guard let seat, seat.isConnecting, let connection = carrier as? UpstreamConnection else { return }
        self.seat = nil
        connection.inherit(seat, isCounted: startedAt == nil)
    }

    // MARK: Outcomes

    /// The present attempt has a response head.
    ///
    /// - Parameter request: who asked, if it counts for the fleet.
    mutating func answered(
        _ status: Int, at now: Int64, in tally: UpstreamTally, _ request: (_ status: Int) -> FleetRequest
    ) {
        guard let startedAt, let pool else { return }
        self.startedAt = nil
        let duration = now &- startedAt
        if let outcome = UpstreamOutcome(status: status) { tally.answered(pool.row, outcome, after: duration) }
        // Not the seat, which would be copied.
        guard let fleet = seat?.fleet, let choice = seat?.choice else { return }
        fleet.answered(choice, status: status, request(status), after: duration, at: now)
    }

    /// The present attempt will have none; nothing is counted if it had its outcome before.
    mutating func failed(_ failure: UpstreamFailure, in tally: UpstreamTally) {
        failed(failure.outcome, failure.fleetFailure, in: tally)
    }

    mutating func failed(_ outcome: UpstreamOutcome, in tally: UpstreamTally) {
        failed(outcome, outcome.fleetFailure, in: tally)
    }

    private mutating func failed(_ outcome: UpstreamOutcome, _ failure: FleetFailure?, in tally: UpstreamTally) {
        guard startedAt != nil, let pool else { return }
        startedAt = nil
        tally.failed(pool.row, outcome)
        if let seat, let failure { seat.fleet.failed(seat.choice, failure, at: EventLoopClock.now()) }
    }

    /// Whether the file and what was sent allow another attempt.
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
