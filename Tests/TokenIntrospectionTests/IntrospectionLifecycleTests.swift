import JOSE
import KeySets
import Testing
import TokenIntrospection
import TokenVerification

@Suite struct IntrospectionQuestionTests {
    @Test func `before the start and after the stop, requests are told to retry`() throws {
        var lifecycle = IntrospectionLifecycle(try SampleAnswers.configuration())
        let stage = try IntrospectionStage()
        guard
            case .answer([1], .unavailable(.seconds(1)))? = lifecycle.question(
                about: stage.digest("a"), waiter: 1, at: IntrospectionStage.moment(0)
            ).first
        else {
            Issue.record("asked before the start")
            return
        }
        #expect(stage.stops() == [])
        #expect(stage.asks("a", waiter: 1, at: 0) == [.unavailable([1], retryAfter: 1)])
    }

    @Test func `one introspection per token runs, and all waiting requests get its response`() throws {
        let stage = try IntrospectionStage()
        #expect(stage.asks("a", waiter: 1, at: 0) == [.ask(1, "a")])
        #expect(stage.asks("a", waiter: 2, at: 1) == [])
        #expect(stage.asks("b", waiter: 3, at: 1) == [.ask(2, "b")])
        #expect(stage.asks("a", waiter: 4, at: 2) == [])
        #expect(
            try stage.answers(1, SampleAnswers.active("A"), at: 3) == [
                .keep("a", answer: "A", until: 63), .answer([1, 2, 4], "A"),
            ])
        #expect(
            try stage.answers(2, SampleAnswers.inactive, at: 4) == [
                .keep("b", answer: "no", until: 14), .answer([3], "no"),
            ])
        #expect(stage.counters.asked == 2)
        #expect(stage.counters.joined == 2)
    }

    @Test func `the result of an introspection that is not running is ignored`() throws {
        let stage = try IntrospectionStage()
        _ = stage.asks("a", waiter: 1, at: 0)
        #expect(try stage.answers(7, SampleAnswers.active("X"), at: 1) == [])
        #expect(stage.fails(7, at: 1) == [])
        _ = stage.fails(1, at: 1)
        #expect(try stage.answers(1, SampleAnswers.active("late"), at: 2) == [])
        #expect(stage.finds("a", at: 2) == nil)
    }

    @Test func `a failed introspection fails all waiting requests, and the next request starts another`() throws {
        let stage = try IntrospectionStage()
        _ = stage.asks("a", waiter: 1, at: 0)
        _ = stage.asks("a", waiter: 2, at: 0)
        #expect(stage.fails(1, at: 1) == [.unavailable([1, 2], retryAfter: 1)])
        #expect(stage.asks("a", waiter: 3, at: 1) == [.ask(2, "a")])
    }

    @Test func `an introspection past its deadline is given up, and counts as failed`() throws {
        let stage = try IntrospectionStage()
        _ = stage.asks("a", waiter: 1, at: 0)
        #expect(stage.wakeUps == [5])
        _ = stage.asks("a", waiter: 2, at: 4)
        #expect(stage.wakes(at: 4.999) == [])
        #expect(stage.wakes(at: 5) == [.cancel(1), .unavailable([1, 2], retryAfter: 1)])
        #expect(stage.counters.failures == 1)
        #expect(try stage.answers(1, SampleAnswers.active("late"), at: 6) == [])
    }

    @Test func `a request that left gets no response, and its introspection still serves the next request`() throws {
        let stage = try IntrospectionStage()
        _ = stage.asks("a", waiter: 1, at: 0)
        _ = stage.asks("a", waiter: 2, at: 0)
        stage.leaves(1)
        stage.leaves(2)
        stage.leaves(2)
        #expect(try stage.answers(1, SampleAnswers.active("A"), at: 1) == [.keep("a", answer: "A", until: 61)])
        #expect(stage.asks("a", waiter: 3, at: 2) == [.answer([3], "A")])
    }

    @Test func `a stop cancels every introspection and answers every request`() throws {
        let stage = try IntrospectionStage()
        _ = stage.asks("a", waiter: 1, at: 0)
        _ = stage.asks("b", waiter: 2, at: 0)
        _ = stage.asks("a", waiter: 3, at: 0)
        #expect(stage.stops() == [.cancel(1), .cancel(2), .unavailable([1, 3, 2], retryAfter: 1)])
        #expect(stage.stops() == [])
        #expect(stage.wakes(at: 5) == [])
        #expect(try stage.answers(1, SampleAnswers.active("late"), at: 6) == [])
    }

    @Test func `requests beyond the waiting limit are refused, and a request that leaves frees its slot`() throws {
        let stage = try IntrospectionStage { $0.waitingLimit = 2 }
        _ = stage.asks("a", waiter: 1, at: 0)
        #expect(stage.asks("a", waiter: 2, at: 0) == [])
        #expect(stage.asks("a", waiter: 3, at: 0) == [.unavailable([3], retryAfter: 1)])
        #expect(stage.asks("b", waiter: 4, at: 0) == [.unavailable([4], retryAfter: 1)])
        stage.leaves(2)
        #expect(stage.asks("a", waiter: 5, at: 0) == [])
        _ = try stage.answers(1, SampleAnswers.active("A"), at: 1)
        #expect(stage.asks("b", waiter: 6, at: 1) == [.ask(2, "b")])
        #expect(stage.counters.turnedAway == 2)
    }

    @Test func `introspections beyond the limit are queued, and requests may still join a running one`()
        throws
    {
        let stage = try IntrospectionStage { $0.concurrentRequests = 2 }
        _ = stage.asks("a", waiter: 1, at: 0)
        #expect(stage.asks("b", waiter: 2, at: 0) == [.ask(2, "b")])
        #expect(stage.asks("c", waiter: 3, at: 0) == [.hold(3, "c")])
        #expect(stage.asks("b", waiter: 4, at: 0) == [])
        #expect(stage.asks("c", waiter: 5, at: 0) == [])
        #expect(stage.questionsUnderWay == 2)
        #expect(stage.requestsWaiting == 5)
        #expect(stage.fails(1, at: 1) == [.unavailable([1], retryAfter: 1), .ask(3, "c")])
        #expect(
            try stage.answers(3, SampleAnswers.active("C"), at: 2) == [
                .keep("c", answer: "C", until: 62), .answer([3, 5], "C"),
            ])
        #expect(stage.counters.asked == 3)
    }
}

@Suite struct IntrospectionCacheTests {
    /// Introspects a token, with an immediate response.
    private func settle(_ stage: IntrospectionStage, _ token: String, _ text: String, at seconds: Double) throws
        -> [IntrospectionStage
        .Step]
    {
        let asked = stage.asks(token, waiter: 1, at: seconds)
        guard case .ask(let number, token)? = asked.first else { return asked }
        return try stage.answers(number, text, at: seconds)
    }

    @Test func `an active response is reused for sixty seconds, and no longer`() throws {
        let stage = try IntrospectionStage()
        _ = try settle(stage, "a", SampleAnswers.active("A", exp: 3600), at: 0)
        #expect(stage.asks("a", waiter: 2, at: 59.999) == [.answer([2], "A")])
        #expect(stage.finds("a", at: 59.999) == "A")
        #expect(stage.finds("a", at: 60) == nil)
        #expect(stage.asks("a", waiter: 3, at: 60) == [.ask(2, "a")])
        #expect(stage.counters.fromCache == 1)
    }

    @Test func `a response is never reused past the token's expiry`() throws {
        let stage = try IntrospectionStage()
        #expect(
            try settle(stage, "a", SampleAnswers.active("A", exp: 7), at: 0) == [
                .keep("a", answer: "A", until: 7), .answer([1], "A"),
            ])
        #expect(stage.finds("a", at: 6.999) == "A")
        #expect(stage.finds("a", at: 7) == nil)
        #expect(stage.asks("a", waiter: 2, at: 7) == [.ask(2, "a")])
    }

    @Test(arguments: [0, -1, -1e300] as [Double])
    func `a response about an expired token is returned but not cached`(exp: Double) throws {
        let stage = try IntrospectionStage()
        let text = #"{"active":true,"jti":"A","exp":\#(exp == 0 ? IntrospectionStage.date(0).seconds : exp)}"#
        #expect(try settle(stage, "a", text, at: 0) == [.answer([1], "A")])
        #expect(stage.keptAnswers == 0)
    }

    @Test func `an expiry too large for a duration is harmless`() throws {
        let stage = try IntrospectionStage()
        let text = #"{"active":true,"jti":"A","exp":1e308}"#
        #expect(try settle(stage, "a", text, at: 0) == [.keep("a", answer: "A", until: 60), .answer([1], "A")])
    }

    @Test func `an inactive response is reused for ten seconds, whatever exp says`() throws {
        let stage = try IntrospectionStage()
        let text = #"{"active":false,"jti":"no","exp":1}"#
        #expect(try settle(stage, "a", text, at: 0) == [.keep("a", answer: "no", until: 10), .answer([1], "no")])
        #expect(stage.asks("a", waiter: 2, at: 9.999) == [.answer([2], "no")])
        #expect(stage.asks("a", waiter: 3, at: 10) == [.ask(2, "a")])
    }

    @Test func `an inactive response is never reused longer than the cache limit`() throws {
        let stage = try IntrospectionStage { $0.cacheLimit = .seconds(3) }
        #expect(
            try settle(stage, "a", SampleAnswers.inactive, at: 0) == [
                .keep("a", answer: "no", until: 3), .answer([1], "no"),
            ])
    }

    @Test func `without a cache every request causes an introspection`() throws {
        let stage = try IntrospectionStage { $0.cacheLimit = .zero }
        #expect(try settle(stage, "a", SampleAnswers.active("A"), at: 0) == [.answer([1], "A")])
        #expect(try settle(stage, "b", SampleAnswers.inactive, at: 0) == [.answer([1], "no")])
        #expect(stage.asks("a", waiter: 2, at: 0) == [.ask(3, "a")])
    }

    @Test func `a newer response replaces the older one, also of the other kind`() throws {
        let stage = try IntrospectionStage()
        _ = try settle(stage, "a", SampleAnswers.inactive, at: 0)
        _ = try settle(stage, "a", SampleAnswers.active("A"), at: 10)
        #expect(stage.finds("a", at: 11) == "A")
        #expect(stage.keptAnswers == 1)
        _ = try settle(stage, "a", SampleAnswers.inactive, at: 70)
        #expect(stage.finds("a", at: 71) == "no")
        #expect(stage.keptAnswers == 1)
        #expect(stage.store.count == 1)
    }

    @Test func `a response that must not be cached also removes an older one`() throws {
        let stage = try IntrospectionStage()
        _ = try settle(stage, "a", SampleAnswers.inactive, at: 0)
        #expect(
            try settle(stage, "a", SampleAnswers.active("A", exp: 5), at: 10) == [.forget(["a"]), .answer([1], "A")])
        #expect(stage.store.count == 0)
    }

    @Test func `expired responses are removed within a second, and the timer stops with the last response`() throws {
        let stage = try IntrospectionStage()
        _ = try settle(stage, "a", SampleAnswers.active("A", exp: 2), at: 0)
        _ = try settle(stage, "b", SampleAnswers.active("B"), at: 0)
        #expect(stage.wakeUps.last == 1)
        #expect(stage.wakes(at: 1) == [])
        #expect(stage.wakeUps.last == 2)
        #expect(stage.wakes(at: 2) == [.forget(["a"])])
        #expect(stage.store.count == 1)
        #expect(stage.wakes(at: 60) == [.forget(["b"])])
        let wakeUps = stage.wakeUps.count
        #expect(stage.wakes(at: 61) == [])
        #expect(stage.wakeUps.count == wakeUps)
        #expect(stage.store.count == 0)
    }

    @Test func `beyond the limit the oldest response is removed, and pending introspections remove none`() throws {
        let stage = try IntrospectionStage { $0.cachedAnswers = 2 }
        _ = try settle(stage, "a", SampleAnswers.active("A"), at: 0)
        _ = try settle(stage, "b", SampleAnswers.active("B"), at: 1)
        for index in 0..<50 { _ = stage.asks("made-up-\(index)", waiter: UInt64(index + 10), at: 1) }
        #expect(stage.finds("a", at: 2) == "A")
        #expect(stage.asks("a", waiter: 2, at: 2) == [.answer([2], "A")])
        #expect(
            try settle(stage, "c", SampleAnswers.active("C"), at: 3) == [
                .keep("c", answer: "C", until: 63), .forget(["a"]), .answer([1], "C"),
            ])
        #expect(stage.keptAnswers == 2)
        #expect(stage.finds("b", at: 3) == "B")
        #expect(stage.store.count == 2)
    }

    @Test func `inactive responses displace only each other`() throws {
        let stage = try IntrospectionStage {
            $0.cachedAnswers = 2
            $0.cachedInactiveAnswers = 3
        }
        _ = try settle(stage, "a", SampleAnswers.active("A"), at: 0)
        for index in 0..<200 { _ = try settle(stage, "made-up-\(index)", SampleAnswers.inactive, at: 1) }
        #expect(stage.finds("a", at: 2) == "A")
        #expect(stage.finds("made-up-199", at: 2) == "no")
        #expect(stage.finds("made-up-196", at: 2) == nil)
        #expect(stage.store.count == 4)
        #expect(stage.keptAnswers == 4)
    }

    @Test func `the size of cached responses is limited in bytes too`() throws {
        let text = SampleAnswers.active("A")
        let stage = try IntrospectionStage { $0.cachedBytes = 3 * text.utf8.count }
        for token in ["a", "b", "c"] { _ = try settle(stage, token, text, at: 0) }
        #expect(stage.store.count == 3)
        _ = try settle(stage, "d", text, at: 0)
        #expect(stage.store.count == 3)
        #expect(stage.finds("a", at: 0) == nil)
        #expect(stage.finds("d", at: 0) == "A")
    }

    @Test func `a response cached again counts as the newest for removal`() throws {
        let stage = try IntrospectionStage { $0.cachedAnswers = 2 }
        _ = try settle(stage, "a", SampleAnswers.active("A", exp: 5), at: 0)
        _ = try settle(stage, "b", SampleAnswers.active("B"), at: 1)
        // Introspected again after it expired: now it is the newest one.
        _ = try settle(stage, "a", SampleAnswers.active("A2"), at: 6)
        _ = try settle(stage, "c", SampleAnswers.active("C"), at: 7)
        #expect(stage.finds("b", at: 7) == nil)
        #expect(stage.finds("a", at: 7) == "A2")
        #expect(stage.finds("c", at: 7) == "C")
    }
}
