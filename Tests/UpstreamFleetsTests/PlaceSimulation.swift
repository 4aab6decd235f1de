import ProxySettings
import TestSupport

@testable import UpstreamFleets

/// Requests of several event loops to targets with few slots, with the gateway's own state machine: messages between
/// loops take time, clients leave, idle connections close, targets fail, are drained, removed and added again. All
/// randomness comes from one seed.
struct PlaceSimulation {
    /// Violation of a rule.
    enum Violation: Hashable {
        /// A target had more connections than its limit.
        case tooManyConnections
        /// A request waited longer than its limit, or was refused before it.
        case wrongWait
        /// A request got a slot although an earlier one could have had it.
        case outOfOrder
        /// A request waited although a target had a free slot for it.
        case roomUnused
        /// More requests waited than the limit, or one was refused although fewer waited.
        case wrongQueue
        /// A request was never notified, or its slot was not returned.
        case lost
    }

    /// Seeded defect of the gateway.
    enum Mutation {
        case none, oneTooMany, idleNotCounted, replacesNothing, replacesInTwoSteps, forgetsToTell, keepsPlaces
    }

    struct Report {
        var violations: [Violation: Int] = [:]
        var answered = 0
        var waited = 0
        /// Requests refused because too many waited, or they waited too long.
        var overloaded = 0
        /// Requests refused because no target was left.
        var unavailable = 0
        var left = 0
        var retried = 0
        /// Requests that replaced an idle connection of another event loop.
        var replaced = 0
    }

    private struct Request {
        let loop: Int
        var tried = TargetSet()
        var attempts = 0
        var arrived: Int64
        var ticket: FleetTicket?
        var choice: FleetChoice?
        var isConnected = false
    }

    private enum Event {
        case arrival
        case departure(Int)
        case late(Int, FleetTicket)
        case closing(Int, loop: Int, FleetChoice)
        case admission(Int, loop: Int, FleetChoice)
        case ending(Int, attempt: Int)
        case fault
    }

    static let settings = FleetSettings.Connections(most: 4, waiting: 12, wait: .milliseconds(20))
    private static let millisecond: Int64 = 1_000_000
    private static let loops = 3

    private var fleet: Fleet
    private let mutation: Mutation
    private var generator: SeededGenerator
    private var report = Report()
    private var events = EventQueue<Event>()
    private var now: Int64 = 0
    private let most: Int
    private var arrivals = 0
    private var requests: [Int: Request] = [:]
    /// Waiting requests in order of arrival.
    private var waiting: [Int] = []
    private var idle: [[Int]]
    private var open: [Int]
    private var isMeanwhile = false
    private var members = ["t0", "t1", "t2", "t3"]

    init(_ mutation: Mutation = .none, balance: FleetSettings.Balance = .leastRequests, requests: Int, seed: UInt64) {
        var connections = Self.settings
        if mutation == .oneTooMany { connections.most += 1 }
        let settings = FleetSettings(
            balance: balance, ejection: FleetSettings.Ejection(failures: 3, duration: .seconds(1)),
            connections: connections)
        fleet = Fleet(settings, members.map { FleetMember(name: $0) }, seed: seed, at: 0)
        self.mutation = mutation
        most = requests
        generator = SeededGenerator(seed: seed &+ 1)
        idle = Array(repeating: Array(repeating: 0, count: Fleet.mostTargets), count: Self.loops)
        open = Array(repeating: 0, count: Fleet.mostTargets)
    }

    mutating func run() -> Report {
        events.push(.arrival, at: 0)
        events.push(.fault, at: 20 * Self.millisecond)
        while let (time, event) = events.pop() {
            now = time
            handle(event)
            if mutation != .forgetsToTell || generator.once(in: 3) { tell() }
            check()
        }
        if !requests.isEmpty || fleet.waitingCount > 0 || fleet.status(at: now).contains(where: { $0.inFlight > 0 }) {
            violate(.lost)
        }
        return report
    }

    private mutating func violate(_ violation: Violation) { report.violations[violation, default: 0] += 1 }

    private mutating func handle(_ event: Event) {
        switch event {
        case .arrival:
            arrive(on: Int.random(in: 0..<Self.loops, using: &generator))
            // Sometimes many requests at once, so that all slots are taken.
            let isBurst = now / (500 * Self.millisecond) % 3 == 0
            if arrivals < most {
                events.push(
                    .arrival, at: now + Int64.random(in: 0..<(isBurst ? 300_000 : 1_500_000), using: &generator))
            }
        case .departure(let number): leave(number)
        case .late(let number, let ticket): giveUp(number, ticket)
        case .closing(let number, let own, let choice):
            replaceIdle(choice)
            events.push(.admission(number, loop: own, choice), at: now + delay)
        case .admission(let number, let loop, let choice): admit(number, loop, choice)
        case .ending(let number, let attempt): if requests[number]?.attempts == attempt { end(number) }
        case .fault: disturb()
        }
    }

    /// Delay of a message from one event loop to another.
    private var delay: Int64 { mutating get { Int64.random(in: 1_000..<200_000, using: &generator) } }

    private func check(_ index: Int) -> Bool { open[index] <= Self.settings.most }

    private mutating func check() {
        if !open.indices.allSatisfy(check) { violate(.tooManyConnections) }
        if fleet.waitingCount > Self.settings.waiting { violate(.wrongQueue) }
        let status = fleet.status(at: now)
        let roomy = status.indices.filter { status[$0].isIn && status[$0].inFlight < Self.settings.most }
        for number in waiting
        where requests[number].map({ request in roomy.contains { !request.tried.contains($0) } }) ?? false {
            violate(.roomUnused)
        }
    }

    // MARK: Requests

    private mutating func arrive(on loop: Int) {
        guard arrivals < most else { return }
        arrivals += 1
        requests[arrivals] = Request(loop: loop, arrived: now)
        ask(arrivals)
        if generator.once(in: 20) {
            events.push(.departure(arrivals), at: now + Int64.random(in: 0..<30 * Self.millisecond, using: &generator))
        }
    }

    private mutating func ask(_ number: Int) {
        guard var request = requests[number] else { return }
        request.attempts += 1
        (request.arrived, request.isConnected) = (now, false)
        requests[number] = request
        switch fleet.ask(key: UInt64(number % 9), avoiding: request.tried, on: request.loop, at: now) {
        case .target(let choice): place(number, choice, isTold: true)
        case .wait(let ticket):
            report.waited += 1
            requests[number]?.ticket = ticket
            waiting.append(number)
            events.push(.late(number, ticket), at: now + Self.settings.wait.nanoseconds)
        case .full:
            if fleet.waitingCount < Self.settings.waiting { violate(.wrongQueue) }
            report.overloaded += 1
            requests[number] = nil
        case .unavailable:
            report.unavailable += 1
            requests[number] = nil
        }
    }

    /// Delivers the state machine's calls to waiting requests.
    private mutating func tell() {
        for call in fleet.takeCalls(at: now) {
            switch call {
            case .admit(let ticket, let choice):
                guard let place = waiting.firstIndex(where: { requests[$0]?.ticket == ticket }) else {
                    violate(.lost); continue
                }
                let number = waiting[place]
                let overtaken = waiting[..<place].contains {
                    requests[$0].map { !$0.tried.contains(choice.target) } ?? false
                }
                if overtaken, !choice.isProbe { violate(.outOfOrder) }
                if let arrived = requests[number]?.arrived, now - arrived > Self.settings.wait.nanoseconds {
                    violate(.wrongWait)
                }
                waiting.remove(at: place)
                self.place(number, choice, isTold: false)
            case .refuse(let ticket):
                guard let place = waiting.firstIndex(where: { requests[$0]?.ticket == ticket }) else {
                    violate(.lost); continue
                }
                report.unavailable += 1
                requests[waiting.remove(at: place)] = nil
            }
        }
    }

    /// - Parameter isTold: true if the request already knows; otherwise it gets a message.
    private mutating func place(_ number: Int, _ choice: FleetChoice, isTold: Bool) {
        guard let loop = requests[number]?.loop else { return }
        requests[number]?.ticket = nil
        if let owner = choice.replacedOn, owner != loop {
            report.replaced += 1
            events.push(.closing(number, loop: loop, choice), at: now + delay)
        } else if isTold {
            admit(number, loop, choice)
        } else {
            events.push(.admission(number, loop: loop, choice), at: now + delay)
        }
    }

    private mutating func admit(_ number: Int, _ loop: Int, _ choice: FleetChoice) {
        guard let request = requests[number] else {
            // The client left meanwhile.
            if choice.replacedOn == loop { fleet.idleReplaced(choice, ended: 0) }
            if mutation != .keepsPlaces { fleet.released(choice) }
            return
        }
        requests[number]?.choice = choice
        meanwhile(request.loop)
        let usesIdle = idle[request.loop][choice.target] > 0 && !generator.once(in: 10)
        if choice.replacedOn == request.loop, !usesIdle {
            replaceIdle(choice)
        } else if usesIdle {
            idle[request.loop][choice.target] -= 1
            if choice.replacedOn == request.loop {
                settle(choice, 1, on: request.loop)
            } else {
                fleet.idleEnded(1, at: choice.target, on: request.loop)
            }
        }
        if !usesIdle { open[choice.target] += 1 }
        requests[number]?.isConnected = true
        events.push(
            .ending(number, attempt: request.attempts),
            at: now + Int64.random(in: 0..<12 * Self.millisecond, using: &generator))
    }

    private mutating func end(_ number: Int) {
        guard var request = requests[number], let choice = request.choice, request.isConnected else { return }
        request.choice = nil
        requests[number] = request
        let isFailure = generator.once(in: choice.target == 0 ? 4 : 300)
        if isFailure || generator.once(in: 10) {
            open[choice.target] -= 1
        } else {
            idle[request.loop][choice.target] += 1
            if mutation != .idleNotCounted { fleet.idleBegan(at: choice.target, on: request.loop) }
            meanwhile(request.loop)
        }
        if isFailure {
            _ = fleet.failed(choice, .reset, at: now)
        } else {
            let asked = FleetRequest(rule: 0, client: ClientKey(high: 0, low: 1))
            _ = fleet.answered(choice, status: 200, asked, after: Self.millisecond, at: now)
        }
        fleet.released(choice)
        guard isFailure, request.attempts < Fleet.mostAttempts else {
            report.answered += 1
            requests[number] = nil
            return
        }
        report.retried += 1
        requests[number]?.tried.insert(choice.target)
        tell()
        ask(number)
    }

    private mutating func leave(_ number: Int) {
        guard let request = requests.removeValue(forKey: number) else { return }
        report.left += 1
        if let ticket = request.ticket, let place = waiting.firstIndex(of: number) {
            waiting.remove(at: place)
            if !fleet.cancel(ticket) { violate(.lost) }
        }
        guard let choice = request.choice, request.isConnected else { return }
        open[choice.target] -= 1
        fleet.released(choice)
    }

    private mutating func giveUp(_ number: Int, _ ticket: FleetTicket) {
        guard let request = requests[number], request.ticket == ticket, let place = waiting.firstIndex(of: number)
        else { return }
        waiting.remove(at: place)
        if !fleet.cancel(ticket) { violate(.lost) }
        if now - request.arrived != Self.settings.wait.nanoseconds { violate(.wrongWait) }
        report.overloaded += 1
        requests[number] = nil
    }

    // MARK: Other loops

    /// Lets other event loops act between two steps of one.
    private mutating func meanwhile(_ loop: Int) {
        guard !isMeanwhile, generator.once(in: 4) else { return }
        isMeanwhile = true
        defer { isMeanwhile = false }
        let others = requests.filter { $0.value.loop != loop && $0.value.isConnected }.keys.sorted()
        if let ended = others.first, generator.once(in: 2) { end(ended) } else { arrive(on: (loop + 1) % Self.loops) }
        tell()
    }

    /// Gives the request the slot of an idle connection, which is closed.
    private mutating func replaceIdle(_ choice: FleetChoice) {
        guard let loop = choice.replacedOn else { return }
        let isThere = mutation != .replacesNothing && idle[loop][choice.target] > 0
        if isThere {
            idle[loop][choice.target] -= 1
            open[choice.target] -= 1
        }
        settle(choice, isThere ? 1 : 0, on: loop)
    }

    private mutating func settle(_ choice: FleetChoice, _ ended: Int, on loop: Int) {
        guard mutation == .replacesInTwoSteps else { return fleet.idleReplaced(choice, ended: ended) }
        fleet.idleReplaced(choice, ended: 0)
        meanwhile(loop)
        fleet.idleEnded(ended, at: choice.target, on: loop)
    }

    // MARK: Faults

    private mutating func closeIdle(_ count: Int, _ loop: Int, _ target: Int) {
        idle[loop][target] -= count
        open[target] -= count
        fleet.idleEnded(count, at: target, on: loop)
    }

    private mutating func disturb() {
        guard arrivals < most else { return bringBack() }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1:
            let (loop, target) = (
                Int.random(in: 0..<Self.loops, using: &generator), Int.random(in: 0..<4, using: &generator)
            )
            if idle[loop][target] > 0 { closeIdle(idle[loop][target], loop, target) }
        case 2: _ = fleet.drain(generator.pick(members), true, at: now)
        case 3: follow(members.filter { _ in !generator.once(in: 3) })
        case 4 where generator.once(in: 4): for member in members { _ = fleet.drain(member, true, at: now) }
        default: bringBack()
        }
        events.push(.fault, at: now + Int64.random(in: 1..<15 * Self.millisecond, using: &generator))
    }

    private mutating func bringBack() {
        follow(members)
        for member in members { _ = fleet.drain(member, false, at: now) }
    }

    /// Removed targets lose their idle connections.
    private mutating func follow(_ present: [String]) {
        _ = fleet.follow(present.map { FleetMember(name: $0) }, at: now)
        let status = fleet.status(at: now)
        for target in status.indices where status[target].hasLeft {
            for loop in 0..<Self.loops where idle[loop][target] > 0 { closeIdle(idle[loop][target], loop, target) }
        }
    }
}
