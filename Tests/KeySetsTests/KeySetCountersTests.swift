import JOSE
import KeySets
import Testing
import TokenVerification

@Suite struct KeySetCountersTests {
    @Test func `fetches, failures and unchanged responses are counted`() throws {
        let stage = LifecycleStage()
        _ = stage.start()
        _ = stage.fails(1, at: 0)
        _ = stage.wakes(at: 1)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 1)
        _ = stage.wakes(at: 241)
        _ = stage.findsNothingNew(3, at: 241)
        let counters = stage.counters
        #expect(counters.fetches == 3)
        #expect(counters.fetchFailures == 1)
        #expect(counters.notModified == 1)
        #expect(counters.unknownKeyIDFetches == 0)
    }

    @Test func `an unchanged response without keys counts only as a failure`() {
        let stage = LifecycleStage()
        _ = stage.start()
        _ = stage.findsNothingNew(1, at: 0)
        #expect(stage.counters.notModified == 0)
        #expect(stage.counters.fetchFailures == 1)
    }

    @Test func `keys are counted as added when they become usable and as removed when they cease to be`() throws {
        let stage = try LifecycleStage.withKeys(["a", "b"]) { $0.retention = .seconds(1000) }
        #expect(stage.counters.keysAdded == 2)
        _ = stage.wakes(at: 240)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a", "c"]), at: 240)
        #expect(stage.counters.keysAdded == 3)
        #expect(stage.counters.keysRemoved == 0)
        _ = stage.wakes(at: 1000.1)
        #expect(stage.counters.keysRemoved == 1)
        _ = stage.succeeds(3, with: try SampleKeys.keySet(["a", "c"]), at: 1001)
        #expect(stage.counters.keysAdded == 3)
    }

    @Test func `fetches for unknown key IDs are counted, and so are key IDs without a fetch`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        for index in 0..<10 {
            let seconds = 1 + Double(index)
            guard case .startFetch(let number)? = stage.needs("x\(index)", waiter: UInt64(index), at: seconds).last
            else { continue }
            _ = stage.succeeds(number, with: try SampleKeys.keySet(["a"]), at: seconds)
        }
        let counters = stage.counters
        #expect(counters.fetches == 6)
        #expect(counters.unknownKeyIDFetches == 5)
        #expect(counters.unknownKeyIDsNotAsked == 5)
        #expect(counters.unknownKeyIDsRefused == 0)
        _ = stage.needs("x0", waiter: 10, at: 11)
        #expect(stage.counters.unknownKeyIDsRefused == 1)
    }

    @Test func `requests that wait during the last allowed fetch are each counted as not asked`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 1 }
        _ = stage.needs("x", waiter: 1, at: 1)
        _ = stage.needs("y", waiter: 2, at: 1.1)
        _ = stage.needs("z", waiter: 3, at: 1.1)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 2)
        #expect(stage.counters.unknownKeyIDsNotAsked == 2)
        #expect(stage.counters.unknownKeyIDsRefused == 0)
    }

    @Test func `an undecided key ID is not counted as refused`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 0 }
        _ = stage.wakes(at: 240)
        _ = stage.fails(2, at: 240)
        #expect(stage.needs("x", waiter: 1, at: 240.5) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.counters.unknownKeyIDsRefused == 0)
        #expect(stage.counters.unknownKeyIDsNotAsked == 0)
    }
}
