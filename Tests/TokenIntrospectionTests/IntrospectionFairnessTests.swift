import JOSE
import KeySets
import Testing
import TokenIntrospection

/// Fairness: no client's introspections delay those of another.
@Suite struct IntrospectionFairnessTests {
    /// Client 1 introspects this many slow tokens; its waiters are numbered from 1,000.
    private func hog(_ stage: IntrospectionStage, _ count: Int, of client: UInt64 = 1) -> [IntrospectionStage.Step] {
        (0..<count).flatMap { index in
            stage.asks("slow\(client)-\(index)", waiter: client * 1000 + UInt64(index), of: client, at: 0)
        }
    }

    @Test func `one client gets half of the concurrent introspections, and other clients are served at once`() throws {
        let stage = try IntrospectionStage()
        let steps = hog(stage, 70)
        #expect(steps.count { if case .ask = $0 { true } else { false } } == 32)
        #expect(steps.count { if case .hold = $0 { true } else { false } } == 38)
        for client in 2...21 as ClosedRange<UInt64> {
            #expect(
                stage.asks("good\(client)", waiter: client, of: client, at: 0) == [.ask(69 + client, "good\(client)")])
        }
    }

    /// Each of the first few clients takes half of the free slots.
    @Test(arguments: [(1, 32), (2, 48), (3, 56), (4, 60), (5, 62), (6, 63)])
    func `each client may take half of the introspection slots that are still free`(clients: Int, taken: Int) throws {
        let stage = try IntrospectionStage()
        for client in 1...clients { _ = hog(stage, 70, of: UInt64(client)) }
        #expect(stage.questionsUnderWay == taken)
        #expect(stage.asks("good", waiter: 1, of: 99, at: 0).count { if case .ask = $0 { true } else { false } } == 1)
    }

    @Test func `queued introspections take turns by client, however many each has`() throws {
        let stage = try IntrospectionStage { $0.concurrentRequests = 2 }
        #expect(stage.asks("a1", waiter: 1, of: 1, at: 0) == [.ask(1, "a1")])
        #expect(stage.asks("b1", waiter: 2, of: 2, at: 0) == [.ask(2, "b1")])
        for waiter in 3...5 as ClosedRange<UInt64> { _ = stage.asks("a\(waiter)", waiter: waiter, of: 1, at: 0) }
        #expect(stage.asks("b6", waiter: 6, of: 2, at: 0) == [.hold(6, "b6")])
        #expect(stage.asks("c7", waiter: 7, of: 3, at: 0) == [.hold(7, "c7")])
        // Client 1 has its share, so it is client 2's turn; then client 3's, which has none yet.
        #expect(try stage.answers(2, SampleAnswers.active("B"), at: 1).last == .ask(6, "b6"))
        #expect(try stage.answers(6, SampleAnswers.active("B"), at: 1).last == .ask(7, "c7"))
        // Tokens of client 1 in their own order.
        #expect(try stage.answers(1, SampleAnswers.active("A"), at: 1).last == .ask(3, "a3"))
        #expect(try stage.answers(3, SampleAnswers.active("A"), at: 1).last == .ask(4, "a4"))
        #expect(try stage.answers(7, SampleAnswers.active("C"), at: 1).count == 2)
        #expect(try stage.answers(4, SampleAnswers.active("A"), at: 1).last == .ask(5, "a5"))
        #expect(try stage.answers(5, SampleAnswers.active("A"), at: 1).count == 2)
        #expect(stage.questionsUnderWay == 0 && stage.requestsWaiting == 0)
    }

    @Test func `an introspection that waits too long is refused, and is no failure of the issuer`() throws {
        let stage = try IntrospectionStage { $0.concurrentRequests = 1 }
        _ = stage.asks("slow", waiter: 1, of: 1, at: 0)
        #expect(stage.asks("a", waiter: 2, of: 2, at: 0) == [.hold(2, "a")])
        #expect(stage.asks("b", waiter: 3, of: 2, at: 4) == [.hold(3, "b")])
        #expect(
            stage.wakes(at: 5) == [
                .cancel(2), .unavailable([2], retryAfter: 1), .cancel(1), .unavailable([1], retryAfter: 1),
                .ask(3, "b"),
            ])
        #expect(stage.counters.failures == 1)
        #expect(stage.counters.turnedAway == 1)
    }

    @Test func `a request that leaves cancels its queued introspection`() throws {
        let stage = try IntrospectionStage { $0.concurrentRequests = 1 }
        _ = stage.asks("slow", waiter: 1, of: 1, at: 0)
        _ = stage.asks("a", waiter: 2, of: 2, at: 0)
        _ = stage.asks("a", waiter: 3, of: 3, at: 0)
        #expect(stage.leaves(2) == [])
        #expect(stage.leaves(3) == [.cancel(2)])
        #expect(stage.leaves(1) == [])
        #expect(try stage.answers(1, SampleAnswers.active("S"), at: 1).count == 1)
        #expect(stage.requestsWaiting == 0 && stage.questionsUnderWay == 0)
    }

    @Test func `one client gets half of the waiting slots, even for introspections of other clients`() throws {
        let stage = try IntrospectionStage { $0.waitingLimit = 8 }
        _ = stage.asks("a", waiter: 1, of: 1, at: 0)
        for waiter in 2...4 as ClosedRange<UInt64> { #expect(stage.asks("a", waiter: waiter, of: 1, at: 0) == []) }
        #expect(stage.asks("a", waiter: 5, of: 1, at: 0) == [.unavailable([5], retryAfter: 1)])
        #expect(stage.asks("b", waiter: 6, of: 1, at: 0) == [.unavailable([6], retryAfter: 1)])
        #expect(stage.asks("a", waiter: 7, of: 2, at: 0) == [])
        #expect(stage.asks("b", waiter: 8, of: 2, at: 0) == [.ask(2, "b")])
        stage.leaves(3)
        stage.leaves(4)
        #expect(stage.asks("a", waiter: 9, of: 1, at: 0) == [])
    }

    @Test func `a stop gives up queued introspections`() throws {
        let stage = try IntrospectionStage { $0.concurrentRequests = 1 }
        _ = stage.asks("a", waiter: 1, of: 1, at: 0)
        _ = stage.asks("b", waiter: 2, of: 2, at: 0)
        #expect(stage.stops() == [.cancel(1), .cancel(2), .unavailable([1, 2], retryAfter: 1)])
        #expect(stage.requestsWaiting == 0)
    }

    /// In any order of events no request waits forever, none is answered twice, and no share of a client is lost.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every request is answered exactly once`(seed: UInt64) throws {
        let stage = try IntrospectionStage {
            $0.concurrentRequests = 4
            $0.waitingLimit = 12
        }
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        var asked: Set<UInt64> = []
        var held: Set<UInt64> = []
        var open: Set<UInt64> = []
        func note(_ steps: [IntrospectionStage.Step]) {
            for step in steps {
                switch step {
                case .ask(let number, _):
                    held.remove(number)
                    #expect(asked.insert(number).inserted)
                case .hold(let number, _): held.insert(number)
                case .cancel(let number): #expect(asked.remove(number) != nil || held.remove(number) != nil)
                case .answer(let waiters, _), .unavailable(let waiters, _):
                    for waiter in waiters { #expect(open.remove(waiter) != nil) }
                case .keep, .forget: break
                }
            }
            #expect(asked.count == stage.questionsUnderWay && asked.count <= 4)
            #expect(open.count == stage.requestsWaiting && open.count <= 12)
        }
        for turn in 0..<400 as Range<UInt64> {
            let now = Double(turn) / 10
            switch random(8) {
            case 0..<4:
                open.insert(turn)
                note(stage.asks("t\(random(30))", waiter: turn, of: random(3), at: now))
            case 4:
                guard let number = asked.min() else { continue }
                asked.remove(number)
                note(
                    try stage.answers(
                        number, random(2) == 0 ? SampleAnswers.inactive : SampleAnswers.active("A"), at: now))
            case 5:
                guard let number = asked.max() else { continue }
                asked.remove(number)
                note(stage.fails(number, random(2) == 0 ? .other : .issuer(), at: now))
            case 6:
                guard let waiter = open.min() else { continue }
                open.remove(waiter)
                note(stage.leaves(waiter))
            default: note(stage.wakes(at: now))
            }
        }
        note(stage.wakes(at: 50))
        // Introspections of the last round are given up with the next.
        note(stage.wakes(at: 60))
        #expect(open.isEmpty && asked.isEmpty && held.isEmpty)
        #expect(stage.questionsUnderWay == 0 && stage.requestsWaiting == 0)
    }
}
