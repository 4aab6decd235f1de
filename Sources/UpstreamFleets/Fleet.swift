import NetworkNames
import ProxySettings

/// Targets of one upstream: chooses the target of each request, and leaves failing targets out. No I/O, no clock, no
/// lock.
///
/// Times are monotonic, in nanoseconds. A target is identified by its index, from 0. Random draws have a seed, so that
/// a simulation can be repeated.
public struct Fleet: Sendable {
    /// Largest number of targets in a fleet.
    public static let mostTargets = 64

    public let settings: FleetSettings
    var targets: [FleetTarget]
    /// Names of the targets; separate, so that a target is copied without its name.
    private var names: [String]
    /// Consecutive failures of each target; separate, so that a target is copied without them.
    private var rows: [FailureRow]
    /// Idle connections of each target. None are counted if connections are not bounded.
    var idle: [IdleConnections]
    /// Indices of the targets in rotation, in ascending order.
    private(set) var eligible: [Int]
    /// Requests that wait for a slot, and the notifications for them.
    var queue = RequestQueue()
    var budget: RetryBudget
    private var answers = GoodAnswers()
    var draws: Draws
    /// Index in `eligible` of the target chosen last, for round robin without weights.
    var turn: Int
    /// Shortest smoothed latency among the targets, in nanoseconds. Infinite if none has answered yet.
    var bestLatency = Double.infinity
    /// Number of new connections that are being made, to all targets.
    private var connecting = 0
    var hasWeights: Bool
    /// Settings that every request needs; separate, so that not all settings are copied for it.
    let balance: FleetSettings.Balance
    let mostRequests: Int?
    /// Length of the slow start, in nanoseconds.
    let slowStart: Double

    /// - Parameter members: at most ``mostTargets``; those beyond are left out.
    public init(_ settings: FleetSettings, _ members: [FleetMember], seed: UInt64, at now: Int64) {
        self.settings = settings
        balance = settings.balance
        mostRequests = settings.connections?.most
        targets = members.prefix(Self.mostTargets).map(FleetTarget.init)
        names = members.prefix(Self.mostTargets).map(\.name)
        rows = targets.map { _ in FailureRow() }
        idle = targets.map { _ in IdleConnections() }
        eligible = Array(targets.indices)
        budget = RetryBudget(percent: settings.retries.budget, at: now)
        draws = Draws(seed: seed)
        hasWeights = Set(members.map(\.weight)).count > 1
        slowStart = Double(settings.slowStart.nanoseconds)
        turn = 0
        if !eligible.isEmpty { turn = draws.index(below: eligible.count) }
    }

    // MARK: Members

    /// Replaces the list of targets. Targets that stay keep their index and their record. A new target gets the index
    /// of one that has left and has no requests any more, or a new index after the last.
    ///
    /// - Returns: the index of each member, in their order. Nil if all indices up to ``mostTargets`` are taken.
    public mutating func follow(_ members: [FleetMember], at now: Int64) -> [Int?] {
        let staying = members.map { member in names.firstIndex(of: member.name) }
        for index in targets.indices { targets[index].hasLeft = !staying.contains(index) }
        let indices = zip(members, staying).map { member, index in index ?? place(for: member, at: now) }
        hasWeights = Set(targets.lazy.filter { !$0.hasLeft }.map(\.weight)).count > 1
        findEligible()
        return indices
    }

    private mutating func place(for member: FleetMember, at now: Int64) -> Int? {
        var target = FleetTarget(member)
        target.begin(at: now)
        if let free = targets.indices.first(where: { targets[$0].isGone && idle[$0].isEmpty }) {
            (targets[free], names[free], rows[free]) = (target, member.name, FailureRow())
            return free
        }
        guard targets.count < Self.mostTargets else { return nil }
        targets.append(target)
        names.append(member.name)
        rows.append(FailureRow())
        idle.append(IdleConnections())
        return targets.count &- 1
    }

    // MARK: Choosing

    /// Chooses the target for a request, which is in flight there from now on. Nil if no target can take it, or if
    /// connections are bounded and no target has a free slot.
    ///
    /// - Parameters:
    ///   - key: hash that selects the target under `hash` balancing. Nil if the request has none.
    ///   - tried: targets that failed this request. One of them is chosen again only if there is no other.
    public mutating func choose(key: UInt64? = nil, avoiding tried: TargetSet = TargetSet(), at now: Int64)
        -> FleetChoice?
    {
        if tried.isEmpty { budget.noteRequest(at: now) }
        return pick(key: key, avoiding: tried, on: 0, at: now)
    }

    /// Chooses the target for a request, like `choose`, but does not count the request for the retry budget. Nil if no
    /// target can take the request, or none has a free slot.
    ///
    /// - Parameter loop: number of the request's event loop.
    mutating func pick(key: UInt64?, avoiding tried: TargetSet, on loop: Int, at now: Int64) -> FleetChoice? {
        if let probed = takeProbe(avoiding: tried, at: now) { return start(probed, isProbe: true, on: loop) }
        // Written out, like `load` inlined: for a function call, the compiler would copy the fleet.
        let candidates = tried.isEmpty && connecting == 0 && mostRequests == nil ? eligible : free(avoiding: tried)
        guard !candidates.isEmpty else { return nil }
        return start(choice(among: candidates, key, at: now), isProbe: false, on: loop)
    }

    private mutating func start(_ index: Int, isProbe: Bool, on loop: Int) -> FleetChoice {
        targets[index].inFlight &+= 1
        return FleetChoice(target: index, isProbe: isProbe, replacedOn: replaceIdle(at: index, for: loop))
    }

    /// Takes an ejected target for one request that probes it. Other requests go to other targets. A target is due when
    /// its ejection ends, or at once if no target is in rotation. Nil if no target may be probed.
    private mutating func takeProbe(avoiding tried: TargetSet, at now: Int64) -> Int? {
        guard eligible.count < targets.count else { return nil }
        for index in targets.indices where mayProbe(index, avoiding: tried, at: now) && hasRoom(index) {
            targets[index].isBeingProbed = true
            return index
        }
        return nil
    }

    func mayProbe(_ index: Int, avoiding tried: TargetSet, at now: Int64) -> Bool {
        // If no target is left, there is nothing to wait for.
        let isNeeded = eligible.isEmpty
        guard targets[index].isDueForProbe(at: isNeeded ? .max : now) else { return false }
        return (isNeeded || !targets[index].needsConnection) && !tried.contains(index)
    }

    /// Targets that may take a request and have a free slot. If possible, without those that are hard to reach.
    private func free(avoiding tried: TargetSet) -> [Int] {
        let roomy = untried(tried).filter(hasRoom)
        guard connecting > 0 else { return roomy }
        let reachable = roomy.filter {
            targets[$0].connecting == 0 || targets[$0].connecting &+ rows[$0].count < mostConnecting
        }
        return reachable.isEmpty ? roomy : reachable
    }

    /// Targets that may take a request: those that have not failed it. If all have failed it, all of them.
    func untried(_ tried: TargetSet) -> [Int] {
        guard !tried.isEmpty else { return eligible }
        let untried = eligible.filter { !tried.contains($0) }
        return untried.isEmpty ? eligible : untried
    }

    /// Hash of a field's value, for `hash` balancing.
    public static func key(of bytes: Span<UInt8>) -> UInt64 { Draws.mixed(FNV1a.hash(bytes)) }

    // MARK: Connecting

    /// Records that a new connection is being made for a request. A target is avoided while it has as many of them as
    /// failures would eject it. So a target that silently drops connections gets no more of them than one that refuses
    /// them.
    public mutating func connectionBegan(_ choice: FleetChoice) {
        guard targets.indices.contains(choice.target) else { return }
        targets[choice.target].connecting &+= 1
        connecting &+= 1
    }

    /// Records that the connection for a request was made or failed.
    public mutating func connectionEnded(_ choice: FleetChoice) {
        guard targets.indices.contains(choice.target), targets[choice.target].connecting > 0 else { return }
        targets[choice.target].connecting &-= 1
        connecting &-= 1
    }

    /// Ejected targets to which a connection must be made now. They were ejected because connecting failed, and their
    /// time is over. A request that probed them would wait as long as the others did.
    public mutating func dueForConnection(at now: Int64) -> [Int] {
        guard eligible.count < targets.count else { return [] }
        let due = targets.indices.filter { index in
            targets[index].needsConnection && !targets[index].isBeingReached && targets[index].isDueForProbe(at: now)
        }
        for index in due { targets[index].isBeingReached = true }
        return due
    }

    /// Records whether the connection to a target from `dueForConnection` was made.
    public mutating func reached(_ index: Int, _ isThere: Bool, at now: Int64) {
        guard targets.indices.contains(index), targets[index].isBeingReached else { return }
        targets[index].isBeingReached = false
        guard targets[index].needsConnection else { return }
        if isThere { targets[index].wasReached() } else { _ = probed(index, isBack: false, .connect, at: now) }
    }

    private var mostConnecting: Int { settings.ejection?.failures ?? .max }

    // MARK: Outcomes

    /// Records a target's response. The request is still in flight there. Returns the ejection or the return of the
    /// target, if one follows. Nil if the target stays in rotation or stays ejected.
    ///
    /// - Parameters:
    ///   - request: its rule and its client.
    ///   - latency: nanoseconds from the choice of the target to the head of the response.
    public mutating func answered(
        _ choice: FleetChoice, status: Int, _ request: FleetRequest, after latency: Int64, at now: Int64
    ) -> FleetEvent? {
        guard targets.indices.contains(choice.target) else { return nil }
        let isFailure = (502...504).contains(status)
        if choice.isProbe { return probed(choice.target, isBack: !isFailure, .answer(status), at: now) }
        guard isFailure else {
            note(latency: latency, of: choice.target, at: now)
            answers.note(rule: request.rule, target: choice.target, at: now)
            if rows[choice.target].count > 0 { rows[choice.target].end() }
            return nil
        }
        // A client that knows a path that fails everywhere must not empty the fleet. Failures add no latency sample, so
        // that quick ones attract no requests.
        guard answers.has(rule: request.rule, otherThan: choice.target, at: now),
            rows[choice.target].add(client: request.client)
        else { return nil }
        return considered(choice.target, .answer(status), at: now)
    }

    /// Records a failed attempt. Returns the ejection of the target, if it follows. Nil if the target stays in rotation
    /// or stays ejected.
    public mutating func failed(_ choice: FleetChoice, _ failure: FleetFailure, at now: Int64) -> FleetEvent? {
        guard targets.indices.contains(choice.target) else { return nil }
        if choice.isProbe { return probed(choice.target, isBack: false, failure, at: now) }
        rows[choice.target].add()
        return considered(choice.target, failure, at: now)
    }

    /// Records that the request is no longer in flight at the target. If it was a probe without a result, the next
    /// request probes.
    public mutating func released(_ choice: FleetChoice) {
        guard targets.indices.contains(choice.target) else { return }
        targets[choice.target].inFlight = max(0, targets[choice.target].inFlight &- 1)
        if choice.isProbe { targets[choice.target].isBeingProbed = false }
    }

    @inline(__always)
    private mutating func note(latency: Int64, of index: Int, at now: Int64) {
        targets[index].note(latency: Double(latency), at: now)
        var best = Double.infinity
        for index in targets.indices { best = min(best, targets[index].latency ?? .infinity) }
        bestLatency = best
    }

    // MARK: Ejection

    /// Ejects a target after enough failures in a row, if others remain and not too many are out. Before that, each
    /// failure from the second in a row makes the target count as slower. One alone says little. Nil if the target is
    /// not ejected.
    private mutating func considered(_ index: Int, _ failure: FleetFailure, at now: Int64) -> FleetEvent? {
        if rows[index].count > 1 { targets[index].countAsSlower(at: now) }
        guard let ejection = settings.ejection, targets[index].isIn, rows[index].count >= ejection.failures else {
            return nil
        }
        let members = targets.count { !$0.hasLeft }
        let ejected = targets.count { $0.isEjected && !$0.hasLeft }
        guard ejected < ejection.most.count(of: members), eligible.count > 1 else { return nil }
        targets[index].eject(until: now &+ ejection.duration.nanoseconds, for: failure, at: now)
        rows[index].end()
        findEligible()
        return .ejected(index, failure)
    }

    private mutating func probed(_ index: Int, isBack: Bool, _ failure: FleetFailure, at now: Int64) -> FleetEvent? {
        guard targets[index].isEjected, let ejection = settings.ejection else { return nil }
        guard isBack else {
            targets[index].eject(
                until: now &+ ejection.duration.nanoseconds, for: failure, at: targets[index].changedAt ?? now)
            return nil
        }
        targets[index].comeBack(at: now)
        rows[index].end()
        findEligible()
        return .returned(index)
    }

    private mutating func findEligible() {
        eligible = targets.indices.filter { targets[$0].isIn }
        if turn >= eligible.count { turn = 0 }
    }

    // MARK: Operators

    /// Drains a target for an operator, or puts a drained one back into rotation. Returns false if no target has this
    /// name.
    ///
    /// Nothing else brings a drained target back, and even the last target can be drained. Its current requests
    /// continue.
    public mutating func drain(_ name: String, _ isDrained: Bool, at now: Int64) -> Bool {
        guard let index = names.firstIndex(of: name), !targets[index].hasLeft else { return false }
        targets[index].drain(isDrained, at: now)
        rows[index].end()
        findEligible()
        return true
    }

    // MARK: Health checks

    /// Records the result of a target's health check.
    ///
    /// Unlike failed requests, health checks can take out every target: each target is checked by itself, and no client
    /// can influence that.
    ///
    /// - Parameter fault: the fault that was found. Nil if the target is healthy.
    public mutating func checked(_ index: Int, _ fault: CheckFault?, at now: Int64) -> FleetEvent? {
        guard let check = settings.health, targets.indices.contains(index),
            targets[index].checked(fault, by: check, at: now)
        else {
            return nil
        }
        rows[index].end()
        findEligible()
        return fault.map { .down(index, $0) } ?? .up(index)
    }

    /// True if no target can take a request.
    public var isEmpty: Bool { eligible.isEmpty }

    /// Time until a target may be back, if there is none now. In nanoseconds, at least a second.
    public func returnsAfter(at now: Int64) -> Int64 {
        let earliest =
            targets.lazy.filter { !$0.hasLeft }.map { $0.returnsAfter(settings.health, at: now) }.min() ?? .max
        // Only an operator knows when a drained target comes back.
        return earliest == .max ? 1_000_000_000 : max(earliest, 1_000_000_000)
    }

    // MARK: Retries

    /// Largest number of attempts at a request, the first included.
    public static let mostAttempts = 3

    /// Decides whether a request is retried after a failed attempt. Each retry reduces the budget by one.
    ///
    /// - Parameters:
    ///   - attempts: number of attempts so far.
    ///   - isReplayable, isHeld: as for `FleetSettings.Retries.allow`.
    public mutating func retries(
        _ failure: AttemptFailure, after attempts: Int, isReplayable: Bool, isHeld: Bool, at now: Int64
    ) -> Bool {
        attempts < Self.mostAttempts && settings.retries.allow(failure, isReplayable: isReplayable, isHeld: isHeld)
            && budget.take(at: now)
    }

    // MARK: For people

    /// Status of each target, by its index.
    public func status(at now: Int64) -> [FleetTargetStatus] {
        targets.map { target in
            FleetTargetStatus(
                isIn: target.isIn, hasLeft: target.hasLeft, since: target.changedAt, cause: target.cause,
                inFlight: target.inFlight,
                latency: target.latency)
        }
    }
}
