import JOSE
import KeySets
import TestSupport
import Testing
import TokenVerification

/// Hours in the life of a key set with simulated clocks: what must hold for every request.
@Suite struct KeySetSimulationTests {
    @Test
    func `no valid key is refused while the issuer is down for an hour and the process restarts in between`()
        throws
    {
        let configuration = LifecycleStage.configuration { $0.retention = .seconds(86_400) }
        let document = try SampleKeys.keySet(["a", "b"])
        let issuer: (Double) -> KeySet? = { seconds in (1000..<4600).contains(seconds) ? nil : document }
        let before = SimulatedKeySet(configuration, issuer)
        before.start()
        for second in stride(from: 1.0, to: 2800, by: 1) {
            try before.run(until: second)
            before.lookUp("a")
            before.lookUp("b")
        }
        #expect(before.refused == [] && before.undecided == [])

        let text = try #require(before.saved?.text(for: configuration))
        let after = SimulatedKeySet(configuration, at: 2800, issuer)
        after.beginRestoring()
        after.lookUp("a")
        after.start(
            restoring: try SavedKeySet(parsing: text.span, for: configuration, at: LifecycleStage.moment(2800).date))
        for second in stride(from: 2801.0, to: 6000, by: 1) {
            try after.run(until: second)
            after.lookUp("a")
            after.lookUp("b")
        }
        #expect(after.refused == [] && after.undecided == [])
        #expect(after.found == 1 + 2 * 3199)
        #expect(after.counters.fetchFailures > 10)
        #expect(!after.isUnconfirmed)
    }

    @Test func `without the saved set, the same restart refuses no key but cannot verify any token`() throws {
        let restarted = SimulatedKeySet(LifecycleStage.configuration(), at: 2800) { _ in nil }
        restarted.start()
        for second in stride(from: 2801.0, to: 2900, by: 1) {
            try restarted.run(until: second)
            restarted.lookUp("a")
        }
        try restarted.run(until: 2910)
        #expect(restarted.found == 0)
        #expect(restarted.refused == [])
        #expect(restarted.undecided.count == 99)
    }

    /// Two days of an issuer whose replicas each know a different part of its keys. Returns the key IDs that were
    /// refused although they had been seen.
    private func flapping(retention: Duration) throws -> (refused: [String], found: Int, fetches: Int) {
        let everyKeyID = (0..<14).map { "entra-\($0)" }
        let configuration = LifecycleStage.configuration {
            $0.retention = retention
            $0.refreshInterval = .seconds(3600)
            $0.unknownKeyIDInterval = .seconds(300)
        }
        var generator = SeededGenerator(seed: 2024)
        var isFirst = true
        let set = SimulatedKeySet(configuration) { _ in
            defer { isFirst = false }
            let count = isFirst ? everyKeyID.count : Int.random(in: 6...14, using: &generator)
            return try SampleKeys.keySet(Array(everyKeyID.shuffled(using: &generator).prefix(count)))
        }
        set.start()
        var requests = SeededGenerator(seed: 7)
        for second in stride(from: 10.0, to: 172_800, by: 10) {
            try set.run(until: second)
            set.lookUp(requests.pick(everyKeyID))
        }
        #expect(set.undecided == [])
        return (set.refused, set.found, set.fetches)
    }

    @Test func `with retention, an issuer that publishes part of its keys at a time has no token refused`() throws {
        let outcome = try flapping(retention: .seconds(86_400))
        #expect(outcome.refused == [])
        #expect(outcome.found == 17_279)
        #expect((40...70).contains(outcome.fetches))
    }

    @Test func `without retention, the tokens of such an issuer are refused`() throws {
        let outcome = try flapping(retention: .zero)
        #expect(outcome.refused.count > 100)
    }

    @Test func `a sudden rotation right after a stray key ID costs one further fetch and refuses no request`()
        throws
    {
        var document = try SampleKeys.keySet(["old"])
        let set = SimulatedKeySet(LifecycleStage.configuration()) { _ in document }
        set.start()
        try set.run(until: 100)
        set.lookUp("stray")
        try set.run(until: 101)
        #expect(set.refused == ["stray"])
        #expect(set.fetches == 2)
        document = try SampleKeys.keySet(["new"], firstMaterial: 1)
        for _ in 0..<500 { set.lookUp("new") }
        try set.run(until: 102)
        for _ in 0..<500 { set.lookUp("new") }
        #expect(set.fetches == 3)
        #expect(set.found == 1000)
        #expect(set.refused == ["stray"] && set.undecided == [] && set.unasked == [])
    }

    @Test func `a stale token every second does not delay the discovery of a rotated key`() throws {
        for rotation in stride(from: 100, to: 220, by: 7) {
            var document = try SampleKeys.keySet(["old"])
            let set = SimulatedKeySet(LifecycleStage.configuration()) { _ in document }
            set.start()
            for second in 1..<rotation {
                try set.run(until: Double(second))
                set.lookUp("stale")
            }
            document = try SampleKeys.keySet(["new"], firstMaterial: 1)
            set.lookUp("new")
            try set.run(until: Double(rotation))
            #expect(set.found == 1, "rotated after \(rotation) s")
        }
    }

    @Test func `a hundred thousand random key IDs within a minute cause eight fetches besides the first`() throws {
        let set = SimulatedKeySet(LifecycleStage.configuration()) { _ in try SampleKeys.keySet(["a"]) }
        set.start()
        try set.run(until: 1)
        var generator = SeededGenerator(seed: 99)
        for index in 0..<100_000 {
            try set.run(until: 1 + Double(index) * 0.0005)
            set.lookUp("random-\(generator.next())")
            if index.isMultiple(of: 1000) { set.lookUp("a") }
        }
        try set.run(until: 60)
        #expect(set.fetches <= 9)
        #expect(set.found == 100)
        #expect(set.undecided == [])
        #expect(set.refused.count + set.unasked.count == 100_000)
    }
}
