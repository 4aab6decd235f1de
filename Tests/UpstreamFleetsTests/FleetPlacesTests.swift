import ProxySettings
import Testing

@testable import UpstreamFleets

/// Slots at targets, as sequences of events: which request gets one or waits, and which idle connection frees one.
struct FleetPlacesTests {
    private static func fleet(
        _ count: Int, most: Int, waiting: Int = 10, ejection: FleetSettings.Ejection? = nil, health: HealthCheck? = nil,
        balance: FleetSettings.Balance = .leastRequests
    ) -> Fleet {
        let settings = FleetSettings(
            balance: balance, ejection: ejection, health: health,
            connections: FleetSettings.Connections(most: most, waiting: waiting))
        return Fleet(settings, (0..<count).map { FleetMember(name: "t\($0)") }, seed: 7, at: 0)
    }

    /// Slots that requests of one event loop get at once, as far as available.
    private static func fill(_ fleet: inout Fleet, _ count: Int, loop: Int = 0) -> [FleetChoice] {
        (0..<count).compactMap { _ in
            guard case .target(let choice) = fleet.ask(on: loop, at: 0) else { return nil }
            return choice
        }
    }

    private static func wait(_ fleet: inout Fleet, avoiding tried: [Int] = [], loop: Int = 0) -> FleetTicket? {
        var set = TargetSet()
        for index in tried { set.insert(index) }
        guard case .wait(let ticket) = fleet.ask(avoiding: set, on: loop, at: 0) else { return nil }
        return ticket
    }

    /// Ends a request whose connection stays open.
    private static func end(_ fleet: inout Fleet, _ choice: FleetChoice, loop: Int) {
        fleet.idleBegan(at: choice.target, on: loop)
        fleet.released(choice)
    }

    // MARK: Places

    @Test(arguments: [FleetSettings.Balance.leastRequests, .roundRobin, .hash(.field("X"))])
    func `a full target is not chosen while another has a free slot`(balance: FleetSettings.Balance) {
        var fleet = Self.fleet(3, most: 2, balance: balance)
        var targets: [Int] = []
        for _ in 0..<6 {
            if case .target(let choice) = fleet.ask(key: 5, on: 0, at: 0) { targets.append(choice.target) }
        }
        #expect(targets.sorted() == [0, 0, 1, 1, 2, 2])
    }

    @Test func `without a connection limit no request waits, and no idle connection is replaced`() {
        var fleet = Fleet(FleetSettings(), [FleetMember(name: "a")], seed: 7, at: 0)
        for _ in 0..<1000 { #expect(fleet.ask(on: 0, at: 0) == .target(FleetChoice(target: 0, isProbe: false))) }
        #expect(!fleet.isAwaited && fleet.waitingCount == 0)
    }

    @Test func `waiting requests are served in order of arrival`() {
        var fleet = Self.fleet(2, most: 1)
        let choices = Self.fill(&fleet, 2)
        let tickets = (0..<3).map { Self.wait(&fleet, loop: $0) }
        #expect(choices.count == 2 && Set(tickets).count == 3 && fleet.waitingCount == 3)
        for (choice, ticket) in zip([choices[1], choices[0]], tickets) {
            fleet.released(choice)
            #expect(fleet.takeCalls(at: 1) == [.admit(ticket!, FleetChoice(target: choice.target, isProbe: false))])
        }
        #expect(fleet.waitingCount == 1 && fleet.status(at: 1).map(\.inFlight) == [1, 1])
        #expect(fleet.takeCalls(at: 1).isEmpty)
    }

    @Test func `a request that arrives while others wait is queued behind them`() {
        var fleet = Self.fleet(1, most: 1)
        let choice = Self.fill(&fleet, 1)[0]
        let first = Self.wait(&fleet)
        fleet.released(choice)
        // The slot is free, and no waiting request was notified yet.
        guard let second = Self.wait(&fleet) else { return #expect(Bool(false)) }
        #expect(fleet.takeCalls(at: 0) == [.admit(first!, choice)])
        fleet.released(choice)
        #expect(fleet.takeCalls(at: 0) == [.admit(second, choice)])
    }

    @Test func `the number of waiting requests is limited`() {
        var fleet = Self.fleet(1, most: 1, waiting: 2)
        let choice = Self.fill(&fleet, 1)[0]
        let tickets = [Self.wait(&fleet), Self.wait(&fleet)].compactMap(\.self)
        #expect(tickets.count == 2 && fleet.waitingCount == 2)
        #expect(fleet.ask(on: 0, at: 0) == .full)
        #expect([fleet.cancel(tickets[0]), fleet.cancel(tickets[0])] == [true, false])
        #expect(Self.wait(&fleet) != nil)
        #expect(fleet.ask(on: 0, at: 0) == .full)
        fleet.released(choice)
        #expect(fleet.takeCalls(at: 0) == [.admit(tickets[1], choice)])
        #expect([fleet.cancel(tickets[1])] == [false])
        var impatient = Self.fleet(1, most: 1, waiting: 0)
        #expect(Self.fill(&impatient, 1).count == 1)
        #expect(impatient.ask(on: 0, at: 0) == .full)
        #expect(!impatient.isAwaited)
    }

    // MARK: Targets that come and go

    @Test func `a request that waits for another target does not delay the others`() {
        var fleet = Self.fleet(2, most: 1)
        let choices = Self.fill(&fleet, 2).sorted { $0.target < $1.target }
        let (picky, other) = (Self.wait(&fleet, avoiding: [0]), Self.wait(&fleet))
        fleet.released(choices[0])
        #expect(fleet.takeCalls(at: 0) == [.admit(other!, choices[0])])
        fleet.released(choices[1])
        #expect(fleet.takeCalls(at: 0) == [.admit(picky!, choices[1])])
    }

    @Test func `a returning or new target serves waiting requests`() {
        var fleet = Self.fleet(2, most: 1)
        #expect(fleet.drain("t1", true, at: 0) == true)
        #expect(Self.fill(&fleet, 1).map(\.target) == [0])
        let tickets = [Self.wait(&fleet), Self.wait(&fleet)].compactMap(\.self)
        #expect(fleet.drain("t1", false, at: 1) == true)
        #expect(fleet.takeCalls(at: 1) == [.admit(tickets[0], FleetChoice(target: 1, isProbe: false))])
        _ = fleet.follow(["t0", "t1", "t2"].map { FleetMember(name: $0) }, at: 2)
        #expect(fleet.takeCalls(at: 2) == [.admit(tickets[1], FleetChoice(target: 2, isProbe: false))])
    }

    @Test func `waiting requests are refused once no target is left`() {
        var fleet = Self.fleet(1, most: 1)
        let choice = Self.fill(&fleet, 1)[0]
        let tickets = [Self.wait(&fleet), Self.wait(&fleet)].compactMap(\.self)
        #expect(fleet.drain("t0", true, at: 0) == true)
        #expect(fleet.takeCalls(at: 0) == tickets.map { .refuse($0) })
        #expect(fleet.ask(on: 0, at: 0) == .unavailable)
        #expect(!fleet.isAwaited)
        fleet.released(choice)
        #expect(fleet.drain("t0", false, at: 0) == true)
        #expect(Self.fill(&fleet, 2).count == 1)
    }

    @Test func `an ejected target gets a waiting request when its ejection ends`() {
        var fleet = Self.fleet(2, most: 1, ejection: FleetSettings.Ejection(failures: 1))
        let choices = Self.fill(&fleet, 2).sorted { $0.target < $1.target }
        #expect(fleet.failed(choices[0], .reset, at: 0) == .ejected(0, .reset))
        fleet.released(choices[0])
        let ticket = Self.wait(&fleet)
        #expect(fleet.takeCalls(at: 9_999_999_999).isEmpty)
        #expect(fleet.takeCalls(at: 10_000_000_000) == [.admit(ticket!, FleetChoice(target: 0, isProbe: true))])
    }

    @Test func `a full ejected target is not probed either`() {
        var fleet = Self.fleet(2, most: 1, ejection: FleetSettings.Ejection(failures: 1))
        let choices = Self.fill(&fleet, 2).sorted { $0.target < $1.target }
        #expect(fleet.failed(choices[0], .reset, at: 0) == .ejected(0, .reset))
        fleet.released(choices[1])
        #expect(fleet.ask(on: 0, at: 20_000_000_000) == .target(choices[1]))
    }

    // MARK: Idle connections

    @Test func `an idle connection of the same event loop is used before another is replaced`() {
        var fleet = Self.fleet(1, most: 2)
        for (choice, loop) in zip(Self.fill(&fleet, 2), [0, 1]) { Self.end(&fleet, choice, loop: loop) }
        for loop in [1, 0] {
            #expect(fleet.ask(on: loop, at: 0) == .target(FleetChoice(target: 0, isProbe: false, replacedOn: loop)))
        }
        #expect(Self.wait(&fleet) != nil)
    }

    @Test func `an idle connection of another event loop frees a slot for exactly one request`() {
        var fleet = Self.fleet(1, most: 2)
        for choice in Self.fill(&fleet, 2) { Self.end(&fleet, choice, loop: 3) }
        let replacing = FleetChoice(target: 0, isProbe: false, replacedOn: 3)
        #expect(fleet.ask(on: 0, at: 0) == .target(replacing))
        // Two idle connections, one of which is already claimed.
        #expect(fleet.ask(on: 3, at: 0) == .target(replacing))
        #expect(fleet.status(at: 0)[0].inFlight == 2)
        for _ in 0..<2 {
            fleet.idleReplaced(replacing, ended: 1)
        }
        fleet.released(replacing)
        #expect(fleet.ask(on: 0, at: 0) == .target(FleetChoice(target: 0, isProbe: false)))
    }

    @Test func `an idle connection that closes by itself has freed its slot`() {
        var fleet = Self.fleet(1, most: 1)
        Self.end(&fleet, Self.fill(&fleet, 1)[0], loop: 1)
        let replacing = FleetChoice(target: 0, isProbe: false, replacedOn: 1)
        #expect(fleet.ask(on: 0, at: 0) == .target(replacing))
        fleet.idleEnded(1, at: 0, on: 1)
        fleet.idleReplaced(replacing, ended: 0)
        Self.end(&fleet, replacing, loop: 0)
        fleet.idleEnded(1, at: 0, on: 0)
        #expect(fleet.ask(on: 1, at: 0) == .target(FleetChoice(target: 0, isProbe: false)))
    }

    @Test func `a request that leaves before it replaced an idle connection leaves the connection idle`() {
        var fleet = Self.fleet(1, most: 1)
        Self.end(&fleet, Self.fill(&fleet, 1)[0], loop: 0)
        let replacing = FleetChoice(target: 0, isProbe: false, replacedOn: 0)
        for _ in 0..<3 {
            #expect(fleet.ask(on: 0, at: 0) == .target(replacing))
            fleet.idleReplaced(replacing, ended: 0)
            fleet.released(replacing)
        }
    }

    @Test func `the index of a removed target is reused once its idle connections are gone`() {
        var fleet = Self.fleet(1, most: 1)
        Self.end(&fleet, Self.fill(&fleet, 1)[0], loop: 0)
        #expect(fleet.follow([FleetMember(name: "new")], at: 0) == [1])
        fleet.idleEnded(1, at: 0, on: 0)
        #expect(fleet.follow([FleetMember(name: "new"), FleetMember(name: "newer")], at: 0) == [1, 0])
    }

    @Test func `events about unknown targets and event loops are ignored`() {
        var fleet = Self.fleet(1, most: 1)
        fleet.idleBegan(at: 7, on: 0)
        fleet.idleEnded(3, at: 7, on: 0)
        fleet.idleEnded(3, at: 0, on: 5)
        fleet.idleReplaced(FleetChoice(target: 7, isProbe: false, replacedOn: 0), ended: 1)
        fleet.idleReplaced(FleetChoice(target: 0, isProbe: false, replacedOn: 9), ended: 1)
        #expect(fleet.ask(on: 0, at: 0) == .target(FleetChoice(target: 0, isProbe: false)))
    }
}
