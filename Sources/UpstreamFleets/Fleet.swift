import NetworkNames
import ProxySettings

/// The targets of one upstream: which of them takes a request, and which are left out. No I/O, no clock, no lock.
///
/// Times are monotonic, in nanoseconds. A target is known by its index, from 0. Draws come from a generator with a
/// seed, so that a simulation can be repeated.
public struct Fleet: Sendable {
    /// More are not told apart.
    public static let mostTargets = 64

    public let settings: FleetSettings
    var targets: [FleetTarget]
    /// What each is called; apart, so that a target is copied without it.
    private var names: [String]
    /// Of each target, its failures without a good answer between them; apart, so that a target is copied without them.
    private var rows: [FailureRow]
    /// Of each target, its idle connections; none are counted where connections are not bounded.
    var idle: [IdleConnections]
    /// The targets that requests can go to, in ascending order.
    private(set) var eligible: [Int]
    /// Requests that wait for a place, and what the gateway has to do for them.
    var queue = RequestQueue()
    var budget: RetryBudget
    private var answers = GoodAnswers()
    var draws: Draws
    /// Of round robin without weights: where in `eligible` the next request goes.
    var turn: Int
    /// The shortest smoothed latency among the targets; infinite: there is none yet.
    var bestLatency = Double.infinity
    /// New connections that are being made, to all targets.
    private var connecting = 0
    var hasWeights: Bool
    /// Of the settings, what every request asks; apart, so that they are not copied for it.
    let balance: FleetSettings.Balance
    let mostRequests: Int?
    /// In nanoseconds.
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

    /// These are the targets from now on. Who stays keeps its index, and what is known of it. Who is new gets the index
    /// of one that has left and has no request any more, or one behind the last.
    ///
    /// - Returns: the index of each, in their order; nil: all of ``mostTargets`` are taken.
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

    /// The target for a request, which is in flight there from now on; nil: none can take it, or, where connections are
    /// bounded, none has room.
    ///
    /// - Parameters:
    ///   - key: what the request is hashed by; nil: nothing.
    ///   - tried: the targets that failed it; one of them is chosen again only if there is no other.
    public mutating func choose(key: UInt64? = nil, avoiding tried: TargetSet = TargetSet(), at now: Int64)
        -> FleetChoice?
    {
        if tried.isEmpty { budget.noteRequest(at: now) }
        return pick(key: key, avoiding: tried, on: 0, at: now)
    }

    /// - Parameter loop: the event loop of the request.
    mutating func pick(key: UInt64?, avoiding tried: TargetSet, on loop: Int, at now: Int64) -> FleetChoice? {
        if let probed = takeProbe(avoiding: tried, at: now) { return start(probed, isProbe: true, on: loop) }
        // Written out, like `load` inlined: to call a function for it, the compiler copies the fleet.
        let candidates = tried.isEmpty && connecting == 0 && mostRequests == nil ? eligible : free(avoiding: tried)
        guard !candidates.isEmpty else { return nil }
        return start(choice(among: candidates, key, at: now), isProbe: false, on: loop)
    }

    private mutating func start(_ index: Int, isProbe: Bool, on loop: Int) -> FleetChoice {
        targets[index].inFlight &+= 1
        return FleetChoice(target: index, isProbe: isProbe, replacedOn: replaceIdle(at: index, for: loop))
    }

    /// A target whose time outside is over: one request tries it, and the others go on without it.
    private mutating func takeProbe(avoiding tried: TargetSet, at now: Int64) -> Int? {
        guard eligible.count < targets.count else { return nil }
        for index in targets.indices where mayProbe(index, avoiding: tried, at: now) && hasRoom(index) {
            targets[index].isBeingProbed = true
            return index
        }
        return nil
    }

    func mayProbe(_ index: Int, avoiding tried: TargetSet, at now: Int64) -> Bool {
        // While no target is left, there is nothing to wait for.
        let isNeeded = eligible.isEmpty
        guard targets[index].isDueForProbe(at: isNeeded ? .max : now) else { return false }
        return (isNeeded || !targets[index].needsConnection) && !tried.contains(index)
    }

    /// Of the targets that may take a request, those that have room and, if there are any, are not hard to reach.
    private func free(avoiding tried: TargetSet) -> [Int] {
        let roomy = untried(tried).filter(hasRoom)
        guard connecting > 0 else { return roomy }
        let reachable = roomy.filter {
            targets[$0].connecting == 0 || targets[$0].connecting &+ rows[$0].count < mostConnecting
        }
        return reachable.isEmpty ? roomy : reachable
    }

    /// The targets that may take a request: those that have not failed it, or, if there are no others, those that have.
    func untried(_ tried: TargetSet) -> [Int] {
        guard !tried.isEmpty else { return eligible }
        let untried = eligible.filter { !tried.contains($0) }
        return untried.isEmpty ? eligible : untried
    }

    /// What requests with this value of a field are hashed by.
    public static func key(of bytes: Span<UInt8>) -> UInt64 { Draws.mixed(FNV1a.hash(bytes)) }

    // MARK: Connecting

    /// A new connection is being made for the request. While as many are as failures still leave the target out, others
    /// are chosen: a target that swallows connections has no more of them than one that refuses them.
    public mutating func connectionBegan(_ choice: FleetChoice) {
        guard targets.indices.contains(choice.target) else { return }
        targets[choice.target].connecting &+= 1
        connecting &+= 1
    }

    /// It is there, or will not come.
    public mutating func connectionEnded(_ choice: FleetChoice) {
        guard targets.indices.contains(choice.target), targets[choice.target].connecting > 0 else { return }
        targets[choice.target].connecting &-= 1
        connecting &-= 1
    }

    /// The targets to which a connection is to be made now. They are left out because there was none, and their time
    /// outside is over: a request that tried them would wait as long as the others did.
    public mutating func dueForConnection(at now: Int64) -> [Int] {
        guard eligible.count < targets.count else { return [] }
        let due = targets.indices.filter { index in
            targets[index].needsConnection && !targets[index].isBeingReached && targets[index].isDueForProbe(at: now)
        }
        for index in due { targets[index].isBeingReached = true }
        return due
    }

    /// The connection to a target that was due for one is there, or will not come.
    public mutating func reached(_ index: Int, _ isThere: Bool, at now: Int64) {
        guard targets.indices.contains(index), targets[index].isBeingReached else { return }
        targets[index].isBeingReached = false
        guard targets[index].needsConnection else { return }
        if isThere { targets[index].wasReached() } else { _ = probed(index, isBack: false, .connect, at: now) }
    }

    private var mostConnecting: Int { settings.ejection?.failures ?? .max }

    // MARK: Outcomes

    /// The target answered; the request is still in flight there.
    ///
    /// - Parameters:
    ///   - request: which rule it fell under and who sent it.
    ///   - latency: nanoseconds from the choice to the head of the answer.
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
        // Whoever knows a path that fails everywhere must not empty the fleet. However quick such an answer is, it
        // attracts no requests.
        guard answers.has(rule: request.rule, otherThan: choice.target, at: now),
            rows[choice.target].add(client: request.client)
        else { return nil }
        return considered(choice.target, .answer(status), at: now)
    }

    /// The attempt failed.
    public mutating func failed(_ choice: FleetChoice, _ failure: FleetFailure, at now: Int64) -> FleetEvent? {
        guard targets.indices.contains(choice.target) else { return nil }
        if choice.isProbe { return probed(choice.target, isBack: false, failure, at: now) }
        rows[choice.target].add()
        return considered(choice.target, failure, at: now)
    }

    /// The request is no longer in flight there. One that never learnt how its probe ended leaves that to the next.
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

    /// Leaves a target out if its row of failures is long enough, others remain, and not too many are out. Before that,
    /// it counts as slower with each failure in a row from the second on: one alone says little.
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

    /// An operator takes a target out, or brings it back; false: there is no target of this name.
    ///
    /// Nothing else brings it back, and the last one can be taken out too. It keeps the requests that it has.
    public mutating func drain(_ name: String, _ isDrained: Bool, at now: Int64) -> Bool {
        guard let index = names.firstIndex(of: name), !targets[index].hasLeft else { return false }
        targets[index].drain(isDrained, at: now)
        rows[index].end()
        findEligible()
        return true
    }

    // MARK: Health checks

    /// A health check of a target ended.
    ///
    /// Unlike failures of requests, checks can leave out every target: they ask each of them by itself, and no client
    /// has a part in it.
    ///
    /// - Parameter fault: nil: it is well.
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

    /// Whether no target can take a request.
    public var isEmpty: Bool { eligible.isEmpty }

    /// When a target may be back, if there is none now: in nanoseconds, at least a second.
    public func returnsAfter(at now: Int64) -> Int64 {
        let earliest =
            targets.lazy.filter { !$0.hasLeft }.map { $0.returnsAfter(settings.health, at: now) }.min() ?? .max
        // Nobody knows what an operator will do.
        return earliest == .max ? 1_000_000_000 : max(earliest, 1_000_000_000)
    }

    // MARK: Retries

    /// Attempts at most, the first included.
    public static let mostAttempts = 3

    /// Whether a request is tried again after an attempt failed; if so, the budget has one less.
    ///
    /// - Parameters:
    ///   - attempts: how many there were.
    ///   - isReplayable, isHeld: as for `FleetSettings.Retries.allow`.
    public mutating func retries(
        _ failure: AttemptFailure, after attempts: Int, isReplayable: Bool, isHeld: Bool, at now: Int64
    ) -> Bool {
        attempts < Self.mostAttempts && settings.retries.allow(failure, isReplayable: isReplayable, isHeld: isHeld)
            && budget.take(at: now)
    }

    // MARK: For people

    /// What is known of each target, by its index.
    public func status(at now: Int64) -> [FleetTargetStatus] {
        targets.map { target in
            FleetTargetStatus(
                isIn: target.isIn, hasLeft: target.hasLeft, since: target.changedAt, cause: target.cause,
                inFlight: target.inFlight,
                latency: target.latency)
        }
    }
}
