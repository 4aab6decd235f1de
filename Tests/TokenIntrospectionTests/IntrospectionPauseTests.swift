import KeySets
import Testing
import TokenIntrospection

@Suite struct IntrospectionPauseTests {
    /// Makes this many introspections fail, one after another. Returns the last number.
    private func fail(_ stage: IntrospectionStage, times: Int, first: UInt64 = 1, at seconds: Double) -> UInt64 {
        for number in first..<(first + UInt64(times)) {
            _ = stage.asks("t\(number)", waiter: number, at: seconds)
            _ = stage.fails(number, at: seconds)
        }
        return first + UInt64(times) - 1
    }

    @Test func `after five failures in a row introspection pauses for a second`() throws {
        let stage = try IntrospectionStage()
        #expect(fail(stage, times: 4, at: 0) == 4)
        #expect(!stage.isPaused)
        _ = fail(stage, times: 1, first: 5, at: 0)
        #expect(stage.isPaused)
        #expect(stage.asks("a", waiter: 9, at: 0) == [.unavailable([9], retryAfter: 1)])
        #expect(stage.asks("a", waiter: 9, at: 0.999) == [.unavailable([9], retryAfter: 1)])
        #expect(stage.asks("a", waiter: 9, at: 1) == [.ask(6, "a")])
    }

    @Test func `a success resets the count of failures`() throws {
        let stage = try IntrospectionStage()
        _ = fail(stage, times: 4, at: 0)
        _ = stage.asks("good", waiter: 9, at: 0)
        _ = try stage.answers(5, SampleAnswers.active("A"), at: 0)
        _ = fail(stage, times: 4, first: 6, at: 0)
        #expect(!stage.isPaused)
    }

    @Test func `after a pause one trial introspection runs, and its success ends the pause`() throws {
        let stage = try IntrospectionStage()
        _ = fail(stage, times: 5, at: 0)
        #expect(stage.asks("a", waiter: 10, at: 1) == [.ask(6, "a")])
        #expect(stage.asks("b", waiter: 11, at: 1) == [.unavailable([11], retryAfter: 1)])
        #expect(stage.asks("a", waiter: 12, at: 1) == [])
        #expect(stage.isPaused)
        #expect(
            try stage.answers(6, SampleAnswers.inactive, at: 2) == [
                .keep("a", answer: "no", until: 12), .answer([10, 12], "no"),
            ])
        #expect(!stage.isPaused)
        #expect(stage.asks("b", waiter: 13, at: 2) == [.ask(7, "b")])
    }

    @Test func `pauses double from a second to a minute while trials fail, and start small again after a success`()
        throws
    {
        let stage = try IntrospectionStage()
        var number = fail(stage, times: 5, at: 0)
        var now = 0.0
        var pauses: [Double] = []
        for _ in 0..<9 {
            let pause = try #require(stage.pause(at: now))
            pauses.append((pause / .milliseconds(1)).rounded() / 1000)
            now += pauses.last ?? 0
            number += 1
            #expect(stage.asks("trial", waiter: 50, at: now) == [.ask(number, "trial")])
            _ = stage.fails(number, at: now)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        now += 60
        _ = stage.asks("trial", waiter: 50, at: now)
        _ = try stage.answers(number + 1, SampleAnswers.active("A"), at: now)
        _ = fail(stage, times: 5, first: number + 2, at: now)
        #expect(stage.pause(at: now) == .seconds(1))
    }

    @Test func `Retry-After covers the whole remaining pause`() throws {
        let stage = try IntrospectionStage()
        _ = stage.asks("a", waiter: 1, at: 0)
        #expect(stage.fails(1, .issuer(retryAfter: .seconds(30)), at: 0) == [.unavailable([1], retryAfter: 30)])
        #expect(stage.asks("b", waiter: 2, at: 10) == [.unavailable([2], retryAfter: 20)])
        #expect(stage.asks("b", waiter: 3, at: 30) == [.ask(2, "b")])
    }

    @Test func `the issuer's Retry-After is respected, up to a minute`() throws {
        let stage = try IntrospectionStage()
        _ = stage.asks("a", waiter: 1, at: 0)
        #expect(stage.fails(1, .issuer(retryAfter: .seconds(86_400)), at: 0) == [.unavailable([1], retryAfter: 60)])
        #expect(stage.asks("b", waiter: 2, at: 60) == [.ask(2, "b")])
    }

    @Test(arguments: [Duration.zero, .seconds(-5)])
    func `a Retry-After of zero causes no pause`(retryAfter: Duration) throws {
        let stage = try IntrospectionStage()
        _ = stage.asks("a", waiter: 1, at: 0)
        #expect(stage.fails(1, .issuer(retryAfter: retryAfter), at: 0) == [.unavailable([1], retryAfter: 1)])
        #expect(!stage.isPaused)
    }

    @Test func `results of introspections from before a pause neither end nor extend it`() throws {
        let stage = try IntrospectionStage()
        for number in 1...12 { _ = stage.asks("t\(number)", waiter: UInt64(number), at: 0) }
        for number in 1...5 { _ = stage.fails(UInt64(number), at: 0) }
        #expect(stage.pause(at: 0) == .seconds(1))
        _ = stage.fails(6, at: 0.5)
        #expect(stage.pause(at: 0.5) == .milliseconds(500))
        #expect(
            try stage.answers(7, SampleAnswers.active("A"), at: 0.5) == [
                .keep("t7", answer: "A", until: 60.5), .answer([7], "A"),
            ])
        #expect(stage.isPaused)
        _ = stage.asks("trial", waiter: 50, at: 1)
        _ = stage.fails(8, at: 1)
        _ = try stage.answers(13, SampleAnswers.active("B"), at: 1)
        #expect(!stage.isPaused)
        for number in 9...12 { _ = stage.fails(UInt64(number), at: 1) }
        _ = stage.asks("new", waiter: 51, at: 1)
        _ = stage.fails(14, at: 1)
        #expect(!stage.isPaused)
    }

    @Test func `a failure that is not the issuer's causes no pause, and a trial that fails so is followed by another`()
        throws
    {
        let stage = try IntrospectionStage()
        for number in 1...20 {
            _ = stage.asks("odd", waiter: UInt64(number), at: 0)
            #expect(stage.fails(UInt64(number), .other, at: 0) == [.unavailable([UInt64(number)], retryAfter: 1)])
        }
        #expect(!stage.isPaused)
        _ = fail(stage, times: 5, first: 21, at: 0)
        #expect(stage.asks("odd", waiter: 50, at: 1) == [.ask(26, "odd")])
        _ = stage.fails(26, .other, at: 1)
        #expect(stage.asks("a", waiter: 51, at: 1) == [.ask(27, "a")])
    }

    @Test
    func `after a trial without a verdict all requests may introspect, and the first failure starts a longer pause`()
        throws
    {
        let stage = try IntrospectionStage()
        _ = fail(stage, times: 5, at: 0)
        #expect(stage.asks("odd", waiter: 50, at: 1) == [.ask(6, "odd")])
        _ = stage.fails(6, .other, at: 1)
        for number in 7...9 {
            #expect(stage.asks("t\(number)", waiter: UInt64(number), at: 1) == [.ask(UInt64(number), "t\(number)")])
        }
        _ = stage.fails(7, at: 1)
        #expect(stage.pause(at: 1) == .seconds(2))
        // Introspections that were running then change nothing.
        _ = stage.fails(8, at: 1)
        #expect(stage.pause(at: 1) == .seconds(2))
        _ = stage.asks("a", waiter: 51, at: 3)
        _ = try stage.answers(10, SampleAnswers.active("A"), at: 3)
        _ = fail(stage, times: 5, first: 11, at: 3)
        #expect(stage.pause(at: 3) == .seconds(1))
    }

    @Test func `cached responses are used during a pause`() throws {
        let stage = try IntrospectionStage()
        _ = stage.asks("a", waiter: 90, at: 0)
        _ = try stage.answers(1, SampleAnswers.active("A"), at: 0)
        _ = fail(stage, times: 5, first: 2, at: 0)
        #expect(stage.asks("a", waiter: 91, at: 0) == [.answer([91], "A")])
        #expect(stage.finds("a", at: 0) == "A")
    }

    @Test func `timeouts cause no pause, and a trial that times out does not prolong one`() throws {
        let stage = try IntrospectionStage()
        for number in 1...20 { _ = stage.asks("slow\(number)", waiter: UInt64(number), at: 0) }
        _ = stage.wakes(at: 5)
        #expect(stage.counters.failures == 20)
        #expect(!stage.isPaused)
        _ = fail(stage, times: 5, first: 21, at: 5)
        #expect(stage.asks("slow", waiter: 50, at: 6) == [.ask(26, "slow")])
        #expect(stage.wakes(at: 11) == [.cancel(26), .unavailable([50], retryAfter: 1)])
        #expect(stage.asks("a", waiter: 51, at: 11) == [.ask(27, "a")])
    }

    @Test func `a pause refuses queued introspections too`() throws {
        let stage = try IntrospectionStage { $0.concurrentRequests = 6 }
        for number in 1...7 { _ = stage.asks("t\(number)", waiter: UInt64(number), at: 0) }
        #expect(stage.asks("t7", waiter: 8, at: 0) == [])
        #expect(stage.questionsUnderWay == 6)
        #expect(stage.fails(1, at: 0) == [.unavailable([1], retryAfter: 1), .ask(7, "t7")])
        #expect(stage.asks("t9", waiter: 9, at: 0) == [.hold(8, "t9")])
        #expect(
            stage.fails(2, .issuer(retryAfter: .seconds(30)), at: 0) == [
                .unavailable([2], retryAfter: 30), .cancel(8), .unavailable([9], retryAfter: 30),
            ])
        #expect(stage.requestsWaiting == 6)
    }
}
