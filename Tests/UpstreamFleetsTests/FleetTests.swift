import ProxySettings
import Testing

@testable import UpstreamFleets

/// A fleet as sequences of events, with a clock controlled by the test.
struct FleetTests {
    private static let second: Int64 = 1_000_000_000

    private static func fleet(
        _ count: Int, _ settings: FleetSettings = FleetSettings(), weights: [Int]? = nil, seed: UInt64 = 7
    ) -> Fleet {
        let members = (0..<count).map { FleetMember(name: "t\($0)", weight: weights?[$0] ?? 1) }
        return Fleet(settings, members, seed: seed, at: 0)
    }

    private static func request(_ client: UInt64 = 1, rule: Int = 0) -> FleetRequest {
        FleetRequest(rule: rule, client: ClientKey(high: 0, low: client))
    }

    /// Serves one request, which is answered at once. Returns its target.
    private static func serve(_ fleet: inout Fleet, status: Int = 200, client: UInt64 = 1, at now: Int64 = 0) -> Int? {
        guard let choice = fleet.choose(at: now) else { return nil }
        _ = fleet.answered(choice, status: status, request(client), after: 1_000_000, at: now)
        fleet.released(choice)
        return choice.target
    }

    /// Serves this many requests in turn. Returns their targets.
    private static func serve(_ fleet: inout Fleet, times: Int, at now: Int64 = 0) -> [Int] {
        (0..<times).compactMap { _ in serve(&fleet, at: now) }
    }

    private static func isWhole(_ fleet: Fleet) -> Bool { fleet.status(at: 0).allSatisfy { $0.isIn } }

    // MARK: Round robin

    @Test func `targets without weights are chosen in turn`() {
        var fleet = Self.fleet(3)
        let order = Self.serve(&fleet, times: 9)
        #expect(order.count == 9 && Set(order.prefix(3)).count == 3 && Array(order.prefix(3)) == Array(order.suffix(3)))
    }

    @Test func `targets are chosen in proportion to their weights, and interleaved`() {
        var fleet = Self.fleet(3, weights: [5, 1, 1])
        let order = Self.serve(&fleet, times: 14)
        #expect([0, 1, 2].map { target in order.count { $0 == target } } == [10, 2, 2])
        let longest = order.split(separator: 0).map(\.count).max()
        #expect(longest ?? 0 <= 2, "\(order)")
    }

    // MARK: Least requests

    @Test(arguments: [2, 3, 4, 9])
    func `the target with the fewest requests in flight is chosen, and equal targets share`(count: Int) {
        var fleet = Self.fleet(count, FleetSettings(balance: .leastRequests))
        var choices: [FleetChoice] = []
        for _ in 0..<count * 100 { choices.append(contentsOf: [fleet.choose(at: 0)].compactMap(\.self)) }
        let counts = (0..<count).map { target in choices.count { $0.target == target } }
        // Below four targets the scan is exact; above, two draws keep the difference small.
        #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= (count < 4 ? 1 : 8), "\(counts)")
    }

    @Test(arguments: [2, 5])
    func `a target that is ten times slower gets few requests, but still some`(count: Int) {
        var fleet = Self.fleet(count, FleetSettings(balance: .leastRequests))
        var (counts, now) = ([Int](repeating: 0, count: count), Int64(0))
        for _ in 0..<20_000 {
            guard let choice = fleet.choose(at: now) else { return #expect(Bool(false)) }
            counts[choice.target] += 1
            _ = fleet.answered(
                choice, status: 200, Self.request(), after: choice.target == 0 ? 10_000_000 : 1_000_000, at: now)
            fleet.released(choice)
            now += 1_000_000
        }
        #expect(counts[0] > 3 && counts[0] < 200, "\(counts)")
    }

    @Test func `a target with weight three gets three times the requests`() {
        for count in [2, 6] {
            var fleet = Self.fleet(
                count, FleetSettings(balance: .leastRequests), weights: [3] + [Int](repeating: 1, count: count - 1))
            let order = Self.serve(&fleet, times: 30_000)
            let share = Double(order.count { $0 == 0 }) / Double(order.count)
            let expected = 3 / Double(count + 2)
            #expect(abs(share - expected) < 0.1, "\(count): \(share)")
        }
    }

    // MARK: Hash

    @Test func `a hash key always has the same target, and keeps it when another target goes`() {
        let settings = FleetSettings(balance: .hash(.field("X-Cart")), ejection: FleetSettings.Ejection(failures: 1))
        var fleet = Self.fleet(5, settings)
        func home(_ key: UInt64) -> Int? {
            guard let choice = fleet.choose(key: key, at: 0) else { return nil }
            fleet.released(choice)
            return choice.target
        }
        let before = (0..<2_000).map { home(UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }
        for target in 0..<5 { #expect((300...500).contains(before.count { $0 == target }), "\(target)") }
        guard let choice = fleet.choose(key: 0, at: 0) else { return #expect(Bool(false)) }
        #expect(fleet.failed(choice, .connect, at: 0) == .ejected(choice.target, .connect))
        fleet.released(choice)
        let after = (0..<2_000).map { home(UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }
        for (old, new) in zip(before, after) where old != choice.target { #expect(old == new) }
        #expect(!after.contains(choice.target))
    }

    @Test func `a hash key shared by all requests does not overload its target`() {
        var fleet = Self.fleet(4, FleetSettings(balance: .hash(.field("X-Cart"))))
        let choices = (0..<400).compactMap { _ in fleet.choose(key: 42, at: 0)?.target }
        for target in 0..<4 { #expect(choices.count { $0 == target } <= 127) }
        #expect(choices.count == 400)
    }

    // MARK: Ejection

    private static func fail(_ fleet: inout Fleet, target: Int, _ failure: FleetFailure = .connect, at now: Int64)
        -> FleetEvent?
    {
        var held: [FleetChoice] = []
        defer { for choice in held { fleet.released(choice) } }
        while let choice = fleet.choose(at: now) {
            held.append(choice)
            if choice.target == target { return fleet.failed(choice, failure, at: now) }
            if held.count > 100 { return nil }
        }
        return nil
    }

    /// Reports that the connection tried before a probe succeeded.
    private static func reach(_ target: Int, of fleet: inout Fleet, at now: Int64) {
        #expect(fleet.dueForConnection(at: now) == [target])
        fleet.reached(target, true, at: now)
    }

    @Test func `an ejected target that refuses connections stays ejected longer, without delaying requests`() {
        var fleet = Self.fleet(2, FleetSettings(ejection: FleetSettings.Ejection(failures: 1)))
        #expect(Self.fail(&fleet, target: 0, at: 0) == .ejected(0, .connect))
        for round in 1...3 {
            let due = Int64(round) * 10 * Self.second
            #expect(fleet.dueForConnection(at: due - 1).isEmpty && fleet.dueForConnection(at: due) == [0])
            fleet.reached(0, false, at: due)
            #expect(!Self.serve(&fleet, times: 50, at: due + 9 * Self.second).contains(0))
        }
        // The start of its ejection does not change.
        #expect(fleet.status(at: 0)[0].since == 0)
    }

    @Test func `a target ejected for bad responses is probed only by a request`() {
        var fleet = Self.fleet(2, FleetSettings(ejection: FleetSettings.Ejection(failures: 1)))
        #expect(Self.fail(&fleet, target: 0, .reset, at: 0) == .ejected(0, .reset))
        #expect(fleet.dueForConnection(at: 11 * Self.second).isEmpty)
        #expect(fleet.choose(at: 11 * Self.second)?.isProbe == true)
    }

    @Test func `five failures in a row eject a target, and one request probes it later`() {
        var fleet = Self.fleet(3)
        for _ in 0..<4 { #expect(Self.fail(&fleet, target: 1, at: 0) == nil) }
        #expect(Self.fail(&fleet, target: 1, at: 5) == .ejected(1, .connect))
        let before = Self.serve(&fleet, times: 100, at: 10 * Self.second)
        #expect(!before.contains(1))
        let due = 10 * Self.second + 5
        #expect(fleet.dueForConnection(at: due - 1).isEmpty)
        // No request waits for a connection that may not complete.
        #expect(!Self.serve(&fleet, times: 100, at: due).contains(1))
        #expect(fleet.dueForConnection(at: due) == [1] && fleet.dueForConnection(at: due).isEmpty)
        fleet.reached(1, true, at: due)
        guard let probe = fleet.choose(at: due), let other = fleet.choose(at: due) else { return #expect(Bool(false)) }
        #expect(probe == FleetChoice(target: 1, isProbe: true) && other.target != 1)
        #expect(fleet.failed(probe, .connect, at: due) == nil)
        fleet.released(probe)
        let between = Self.serve(&fleet, times: 100, at: due + 9 * Self.second)
        #expect(!between.contains(1))
        #expect(fleet.dueForConnection(at: due + 10 * Self.second) == [1])
        fleet.reached(1, true, at: due + 10 * Self.second)
        guard let second = fleet.choose(at: due + 10 * Self.second) else { return #expect(Bool(false)) }
        #expect(
            fleet.answered(second, status: 404, Self.request(), after: 1, at: due + 10 * Self.second) == .returned(1))
        fleet.released(second)
        let after = Self.serve(&fleet, times: 3, at: due + 10 * Self.second)
        #expect(after.contains(1))
    }

    @Test func `if the client of a probe leaves, the next request is the probe`() {
        var fleet = Self.fleet(2, FleetSettings(ejection: FleetSettings.Ejection(failures: 1)))
        #expect(Self.fail(&fleet, target: 0, at: 0) == .ejected(0, .connect))
        Self.reach(0, of: &fleet, at: 11 * Self.second)
        guard let probe = fleet.choose(at: 11 * Self.second) else { return #expect(Bool(false)) }
        #expect(probe.isProbe)
        fleet.released(probe)
        #expect(fleet.choose(at: 11 * Self.second)?.isProbe == true)
    }

    @Test func `a good response ends a series of failures`() {
        var fleet = Self.fleet(2)
        for _ in 0..<4 { #expect(Self.fail(&fleet, target: 0, at: 0) == nil) }
        while Self.serve(&fleet) != 0 {}
        for _ in 0..<4 { #expect(Self.fail(&fleet, target: 0, at: 0) == nil) }
        #expect(Self.fail(&fleet, target: 0, .reset, at: 0) == .ejected(0, .reset))
    }

    @Test(arguments: [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (7, 3)])
    func `at most half of the targets are ejected, and never the last`(count: Int, out: Int) {
        var fleet = Self.fleet(count)
        for target in 0..<count { for _ in 0..<10 { _ = Self.fail(&fleet, target: target, at: 0) } }
        #expect(fleet.status(at: 0).count { !$0.isIn } == out)
        var all = Self.fleet(count, FleetSettings(ejection: FleetSettings.Ejection(most: .count(count))))
        for target in 0..<count { for _ in 0..<10 { _ = Self.fail(&all, target: target, at: 0) } }
        #expect(all.status(at: 0).count { $0.isIn } == 1)
    }

    @Test(arguments: [FleetSettings.Balance.roundRobin, .leastRequests, .hash(.field("X"))])
    func `a target that never completes connections gets five attempts, and is then ejected`(
        balance: FleetSettings.Balance
    ) {
        var fleet = Self.fleet(4, FleetSettings(balance: balance))
        var swallowed: [FleetChoice] = []
        for number in 0..<400 {
            guard let choice = fleet.choose(key: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, at: 0) else {
                return #expect(Bool(false))
            }
            fleet.connectionBegan(choice)
            if choice.target == 2 {
                swallowed.append(choice)
            } else {
                fleet.connectionEnded(choice)
                _ = fleet.answered(choice, status: 200, Self.request(), after: 1_000_000, at: 0)
                fleet.released(choice)
            }
        }
        #expect(swallowed.count <= 5 && (balance != .roundRobin || swallowed.count == 5))
        for choice in swallowed {
            _ = fleet.failed(choice, .connect, at: 0)
            fleet.connectionEnded(choice)
            fleet.released(choice)
            // The connections still in progress are enough to eject it.
            if choice != swallowed.last || swallowed.count == 5 { #expect(!Self.serve(&fleet, times: 40).contains(2)) }
        }
        #expect(fleet.status(at: 0)[2].isIn == (swallowed.count < 5))
    }

    @Test func `if every target has unfinished connections, each may get more`() {
        var fleet = Self.fleet(2)
        var counts = [0, 0]
        for _ in 0..<100 {
            guard let choice = fleet.choose(at: 0) else { return #expect(Bool(false)) }
            fleet.connectionBegan(choice)
            counts[choice.target] += 1
        }
        #expect(counts == [50, 50])
    }

    // MARK: Answers that look like failures

    @Test func `a path that fails at every target ejects none`() {
        var fleet = Self.fleet(3)
        for number in 0..<1_000 { #expect(Self.serve(&fleet, status: 503, client: UInt64(number)) != nil) }
        #expect(Self.isWhole(fleet))
    }

    @Test func `bad responses count once per client, and only if another target answers the same rule well`() {
        var fleet = Self.fleet(2)
        func answer(_ status: Int, from target: Int, client: UInt64, at now: Int64 = 0) -> FleetEvent? {
            while let choice = fleet.choose(at: now) {
                defer { fleet.released(choice) }
                if choice.target == target {
                    return fleet.answered(choice, status: status, Self.request(client), after: 1, at: now)
                }
            }
            return nil
        }
        #expect(answer(200, from: 1, client: 9) == nil)
        for _ in 0..<50 { #expect(answer(502, from: 0, client: 1) == nil) }
        for client in 2..<5 { #expect(answer(502, from: 0, client: UInt64(client)) == nil) }
        // A minute later it is unknown whether the rule works at any target.
        #expect(answer(502, from: 0, client: 5, at: 60 * Self.second) == nil)
        #expect(answer(200, from: 1, client: 9, at: 60 * Self.second) == nil)
        #expect(answer(504, from: 0, client: 5, at: 60 * Self.second) == .ejected(0, .answer(504)))
    }

    @Test func `a 500 response is the application's own, and ejects no target`() {
        var fleet = Self.fleet(2)
        for number in 0..<100 { _ = Self.serve(&fleet, status: number % 2 == 0 ? 500 : 501, client: UInt64(number)) }
        #expect(Self.isWhole(fleet))
    }

    // MARK: Operators

    @Test func `a drained target gets no requests, not even a probe, until it is restored`() {
        var fleet = Self.checked(3, downAfter: 1, upAfter: 1, ejection: FleetSettings.Ejection(failures: 1))
        #expect(Self.fail(&fleet, target: 1, at: 0) == .ejected(1, .connect))
        let known = [fleet.drain("t1", true, at: 5), fleet.drain("t9", true, at: 5)]
        #expect(known == [true, false])
        #expect(fleet.status(at: 5)[1].cause == .drained && fleet.status(at: 5)[1].since == 5)
        _ = fleet.checked(1, .connect, at: 6)
        _ = fleet.checked(1, nil, at: 6)
        #expect(!Self.serve(&fleet, times: 12, at: 60 * Self.second).contains(1))
        let others = [fleet.drain("t0", true, at: 7), fleet.drain("t2", true, at: 7)]
        #expect(others == [true, true] && fleet.isEmpty)
        #expect(fleet.choose(at: 60 * Self.second) == nil)
        #expect(fleet.returnsAfter(at: 7) == Self.second)
        _ = fleet.drain("t1", false, at: 8)
        #expect(Self.serve(&fleet, times: 3, at: 8) == [1, 1, 1] && fleet.status(at: 8)[1].cause == nil)
    }

    @Test func `restoring a drained target does not override its health check`() {
        var fleet = Self.checked(2, downAfter: 1)
        _ = fleet.drain("t0", true, at: 0)
        #expect(fleet.checked(0, .connect, at: 1) == .down(0, .connect))
        _ = fleet.drain("t0", false, at: 2)
        #expect(fleet.status(at: 2)[0].cause == .check(.connect))
        #expect(Self.serve(&fleet, times: 4, at: 60 * Self.second) == [1, 1, 1, 1])
    }

    // MARK: Members that come and go

    private static func members(_ names: String...) -> [FleetMember] { names.map { FleetMember(name: $0) } }

    @Test func `a target that stays keeps its index and state, and a removed target gets no more requests`() {
        var fleet = Self.fleet(3, FleetSettings(ejection: FleetSettings.Ejection(failures: 1, most: .count(3))))
        #expect(Self.fail(&fleet, target: 1, at: 0) == .ejected(1, .connect))
        #expect(fleet.follow(Self.members("t1", "t2", "t3"), at: 1) == [1, 2, 0])
        #expect(fleet.status(at: 1).map(\.isIn) == [true, false, true])
        #expect(Set(Self.serve(&fleet, times: 9, at: 1)) == [0, 2])
        #expect(fleet.follow(Self.members("t2"), at: 1) == [2])
        #expect(fleet.status(at: 1).map(\.hasLeft) == [true, true, false])
        #expect(Self.serve(&fleet, times: 3, at: 60 * Self.second) == [2, 2, 2], "nobody tries one that has left")
        // The last present target is never ejected, whatever others were.
        for _ in 0..<10 { #expect(Self.fail(&fleet, target: 2, at: 1) == nil) }
        #expect(fleet.follow(Self.members("t1", "t2"), at: 2) == [1, 2])
        #expect(fleet.status(at: 2)[1].isIn == false, "it comes back as it left")
    }

    @Test func `the index of a removed target is reused once its requests have ended`() {
        var fleet = Self.fleet(2)
        var held: [FleetChoice] = []
        for _ in 0..<2 { held.append(contentsOf: [fleet.choose(at: 0)].compactMap(\.self)) }
        #expect(fleet.follow(Self.members("new"), at: 0) == [2])
        for choice in held {
            #expect(fleet.answered(choice, status: 200, Self.request(), after: 1, at: 0) == nil)
            fleet.released(choice)
        }
        #expect(fleet.status(at: 0).map(\.inFlight) == [0, 0, 0])
        #expect(fleet.follow(Self.members("new", "newer", "newest", "last"), at: 0) == [2, 0, 1, 3])
        #expect(Set(Self.serve(&fleet, times: 8)) == [0, 1, 2, 3])
    }

    @Test func `a fleet has at most 64 targets, and chooses none if it is empty`() {
        var fleet = Self.fleet(0)
        #expect(fleet.isEmpty && fleet.choose(at: 0) == nil)
        let many = (0..<70).map { FleetMember(name: "m\($0)") }
        #expect(fleet.follow(many, at: 0) == (0..<70).map { $0 < 64 ? $0 : nil })
        #expect(Set(Self.serve(&fleet, times: 64)).count == 64)
        #expect(fleet.follow([], at: 0) == [])
        #expect(fleet.isEmpty && fleet.choose(at: 0) == nil && fleet.returnsAfter(at: 0) == Self.second)
    }

    @Test func `weights change with the targets, and a new target starts slowly`() {
        var fleet = Self.fleet(1, FleetSettings(slowStart: .seconds(10)))
        _ = fleet.follow([FleetMember(name: "t0"), FleetMember(name: "heavy", weight: 3)], at: 0)
        let first = Self.serve(&fleet, times: 100, at: 0).count { $0 == 1 }
        #expect(first > 5 && first < 45, "\(first)")
        #expect(Self.serve(&fleet, times: 100, at: 10 * Self.second).count { $0 == 1 } == 75)
        _ = fleet.follow(Self.members("t0", "light"), at: 20 * Self.second)
        #expect(Self.serve(&fleet, times: 100, at: 40 * Self.second).count { $0 == 1 } == 50)
    }

    // MARK: Health checks

    private static func checked(
        _ count: Int, downAfter: Int = 3, upAfter: Int = 2, ejection: FleetSettings.Ejection? = nil
    ) -> Fleet {
        let check = HealthCheck(
            .http(path: "/", expect: 200...299), interval: .seconds(5), downAfter: downAfter, upAfter: upAfter)
        return fleet(count, FleetSettings(ejection: ejection, health: check))
    }

    @Test func `a number of failed checks in a row takes a target out, and a number of good ones brings it back`() {
        var fleet = Self.checked(2)
        for fault in [CheckFault.timeout, .timeout, nil, .connect, .status(500)] {
            #expect(fleet.checked(1, fault, at: 0) == nil)
        }
        #expect(fleet.checked(1, .status(503), at: 7) == .down(1, .status(503)))
        #expect(Self.serve(&fleet, times: 20) == Array(repeating: 0, count: 20))
        let status = fleet.status(at: 7)[1]
        #expect(!status.isIn && status.since == 7 && status.cause == .check(.status(503)))
        for fault in [nil, CheckFault.notServing, nil] { #expect(fleet.checked(1, fault, at: 8) == nil) }
        #expect(fleet.status(at: 8)[1].cause == .check(.notServing))
        #expect(fleet.checked(1, nil, at: 9) == .up(1))
        #expect(Set(Self.serve(&fleet, times: 4)) == [0, 1])
        #expect(fleet.status(at: 9)[1].since == 9 && Self.isWhole(fleet))
    }

    @Test func `health checks may take out every target, and then none is chosen`() {
        var fleet = Self.checked(3, downAfter: 1)
        for target in 0..<3 { #expect(fleet.checked(target, .connect, at: 0) == .down(target, .connect)) }
        #expect(fleet.isEmpty)
        #expect(fleet.choose(at: 0) == nil)
        #expect(fleet.returnsAfter(at: 0) == 5 * Self.second)
        _ = fleet.checked(2, nil, at: 0)
        #expect(fleet.checked(2, nil, at: 0) == .up(2))
        #expect(Self.serve(&fleet) == 2)
    }

    @Test func `requests do not probe a target whose checks fail, and checks do not restore an ejected target`() {
        var fleet = Self.checked(3, downAfter: 1, upAfter: 1, ejection: FleetSettings.Ejection(failures: 1))
        #expect(Self.fail(&fleet, target: 0, at: 0) == .ejected(0, .connect))
        #expect(fleet.checked(0, .timeout, at: 0) == .down(0, .timeout))
        let late = 60 * Self.second
        #expect(!Self.serve(&fleet, times: 10, at: late).contains(0))
        #expect(fleet.checked(0, nil, at: late) == .up(0))
        #expect(!fleet.status(at: late)[0].isIn)
        Self.reach(0, of: &fleet, at: late)
        #expect(fleet.choose(at: late) == FleetChoice(target: 0, isProbe: true))
    }

    @Test func `if health checks leave no other target, an ejected one is probed early`() {
        var fleet = Self.checked(2, downAfter: 1, ejection: FleetSettings.Ejection(failures: 1, duration: .seconds(30)))
        #expect(Self.fail(&fleet, target: 0, at: 0) == .ejected(0, .connect))
        #expect(fleet.choose(at: 1).map(\.isProbe) == false)
        #expect(fleet.checked(1, .connect, at: 1) == .down(1, .connect))
        #expect(fleet.choose(at: 1) == FleetChoice(target: 0, isProbe: true))
        // One probe at a time.
        #expect(fleet.choose(at: 1) == nil)
        #expect(fleet.returnsAfter(at: 1) == 5 * Self.second)
    }

    @Test func `a check result without configured checks, or for an unknown target, is ignored`() {
        var fleet = Self.fleet(2)
        for _ in 0..<10 { #expect(fleet.checked(0, .connect, at: 0) == nil) }
        var checked = Self.checked(2, downAfter: 1)
        #expect(checked.checked(7, .connect, at: 0) == nil)
        #expect(Self.isWhole(fleet) && Self.isWhole(checked))
    }

    // MARK: Slow start

    @Test(arguments: [FleetSettings.Balance.roundRobin, .leastRequests])
    func `a returning target gets its share gradually`(balance: FleetSettings.Balance) {
        var fleet = Self.fleet(
            4, FleetSettings(balance: balance, ejection: FleetSettings.Ejection(failures: 1), slowStart: .seconds(10)))
        #expect(Self.fail(&fleet, target: 2, at: 0) == .ejected(2, .connect))
        let back = 20 * Self.second
        Self.reach(2, of: &fleet, at: back)
        guard let probe = fleet.choose(at: back) else { return #expect(Bool(false)) }
        #expect(fleet.answered(probe, status: 200, Self.request(), after: 1_000_000, at: back) == .returned(2))
        fleet.released(probe)
        func share(after seconds: Int64) -> Double {
            let order = Self.serve(&fleet, times: 4_000, at: back + seconds * Self.second)
            return Double(order.count { $0 == 2 }) / Double(order.count)
        }
        let shares = [share(after: 0), share(after: 5), share(after: 10)]
        #expect(
            shares[0] < 0.07 && shares[0] > 0.01 && shares[1] > 0.08 && shares[1] < 0.2 && abs(shares[2] - 0.25) < 0.03,
            "\(shares)")
    }

    // MARK: Retries

    @Test func `a retry prefers a target that was not tried yet`() {
        for balance in [FleetSettings.Balance.roundRobin, .leastRequests] {
            var fleet = Self.fleet(3, FleetSettings(balance: balance))
            for _ in 0..<100 {
                var tried = TargetSet()
                var targets: [Int] = []
                for _ in 0..<4 {
                    guard let choice = fleet.choose(avoiding: tried, at: 0) else { break }
                    targets.append(choice.target)
                    tried.insert(choice.target)
                    fleet.released(choice)
                }
                #expect(Set(targets.prefix(3)).count == 3 && targets.count == 4)
            }
        }
    }

    @Test(
        arguments: [
            (AttemptFailure.unconnected, false, false, true),
            (.closed(isReused: true, responseBegan: false), true, false, true),
            (.closed(isReused: true, responseBegan: false), false, true, false),
            (.closed(isReused: false, responseBegan: false), true, true, false),
            (.closed(isReused: true, responseBegan: true), true, true, false), (.refused, false, true, true),
            (.refused, true, false, true),
            (.refused, false, false, false), (.unanswered, true, true, false),
        ])
    func `a request is retried only if it cannot take effect twice`(
        failure: AttemptFailure, isReplayable: Bool, isHeld: Bool, expected: Bool
    ) {
        var fleet = Self.fleet(2)
        for attempts in 1...4 {
            let allowed = fleet.retries(failure, after: attempts, isReplayable: isReplayable, isHeld: isHeld, at: 0)
            #expect(allowed == (expected && attempts < 3))
        }
        let closed = failure == .closed(isReused: false, responseBegan: false) && isReplayable
        var all = Self.fleet(
            2, FleetSettings(retries: FleetSettings.Retries(causes: FleetSettings.Retries.Cause.allCases)))
        let allowedByAll = all.retries(failure, after: 1, isReplayable: isReplayable, isHeld: isHeld, at: 0)
        #expect(allowedByAll == (expected || closed))
        var none = Self.fleet(2, FleetSettings(retries: FleetSettings.Retries(causes: [])))
        let allowed = none.retries(failure, after: 1, isReplayable: isReplayable, isHeld: isHeld, at: 0)
        #expect(!allowed)
    }

    @Test func `retries are limited to a fifth of the requests of ten seconds, or three a second`() {
        var fleet = Self.fleet(2)
        func retries(at now: Int64) -> Int {
            var count = 0
            while fleet.retries(.unconnected, after: 1, isReplayable: false, isHeld: false, at: now) { count += 1 }
            return count
        }
        #expect(retries(at: 0) == 30)
        #expect(retries(at: 9 * Self.second) == 0)
        #expect(retries(at: 10 * Self.second) == 30)
        for number in 0..<10_000 { _ = Self.serve(&fleet, at: 20 * Self.second + Int64(number) * 100_000) }
        #expect(retries(at: 22 * Self.second) == 2_000)
        // A clock that goes back allows no further retry.
        #expect(retries(at: 0) == 0)
        #expect(retries(at: 1_000 * Self.second) == 30)
        var none = Self.fleet(2, FleetSettings(retries: FleetSettings.Retries(budget: 0)))
        let allowed = none.retries(.unconnected, after: 1, isReplayable: true, isHeld: true, at: 0)
        #expect(!allowed)
    }
}
