import JOSE
import Testing
import TokenVerification

@testable import KeySets

@Suite struct KeySetSuccessionTests {
    private func predecessor(at seconds: Double) throws -> KeySetSuccession {
        let saved = SavedKeySet(document: try SampleKeys.keySet(["a"]), fetchedAt: LifecycleStage.moment(seconds).date)
        return KeySetSuccession(saved: saved, generation: 7, lastFetchSucceeded: true)
    }

    @Test func `a predecessor's fresh keys are taken over without a fetch`() throws {
        let stage = LifecycleStage(succeeding: try predecessor(at: -100))
        #expect(stage.start() == [])
        #expect(stage.keyIDs == ["a"])
        #expect(stage.firstFetchHasEnded)
        #expect(stage.snapshot.generation == 7)
        #expect(stage.nextFetch == 240)
        #expect(stage.needs("b", waiter: 1, at: 1) == [.startFetch(1)])
    }

    @Test func `a predecessor's old keys are served while newer ones are fetched`() throws {
        let stage = LifecycleStage(succeeding: try predecessor(at: -3600))
        #expect(stage.start() == [.startFetch(1)])
        #expect(stage.needs("a", waiter: 1, at: 1) == [.answer([1], .keysChanged)])
        #expect(stage.succeeds(1, with: try SampleKeys.keySet(["b"]), at: 2) == [])
        #expect(stage.keyIDs == ["b"])
        #expect(stage.snapshot.generation == 8)
    }

    @Test func `a predecessor's keys past the stale limit answer no request`() throws {
        let stage = LifecycleStage(succeeding: try predecessor(at: -86_400))
        #expect(stage.start() == [.startFetch(1)])
        #expect(stage.needs("a", waiter: 1, at: 1) == [])
        #expect(stage.fails(1, at: 2) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
    }

    @Test func `a predecessor's keys dated in the future are not believed to be fresh`() throws {
        let stage = LifecycleStage(succeeding: try predecessor(at: 50))
        #expect(stage.start() == [.startFetch(1)])
    }

    @Test func `a retained key keeps only the rest of its retention after a change of the settings`() throws {
        let old = try LifecycleStage.withKeys(["a", "b"]) { $0.retention = .seconds(1000) }
        _ = old.wakes(at: 240)
        _ = old.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 240)
        let stage = LifecycleStage(succeeding: old.lifecycle.succession) {
            $0.retention = .seconds(1000)
            $0.unknownKeyIDInterval = .seconds(300)
        }
        #expect(stage.start(at: 300) == [])
        #expect(stage.keyIDs == ["a", "b"])
        #expect(stage.snapshot.generation == old.snapshot.generation)
        _ = stage.wakes(at: 999.9)
        #expect(stage.keyIDs == ["a", "b"])
        _ = stage.wakes(at: 1000.1)
        #expect(stage.keyIDs == ["a"])
        #expect(stage.snapshot.generation == old.snapshot.generation + 1)
    }

    @Test func `a changed retention counts from when the key was last seen`() throws {
        let old = try LifecycleStage.withKeys(["a", "b"]) { $0.retention = .seconds(1000) }
        _ = old.wakes(at: 240)
        _ = old.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 240)
        let shorter = LifecycleStage(succeeding: old.lifecycle.succession) { $0.retention = .seconds(200) }
        _ = shorter.start(at: 300)
        #expect(shorter.keyIDs == ["a"])
        let none = LifecycleStage(succeeding: old.lifecycle.succession)
        _ = none.start(at: 300)
        #expect(none.keyIDs == ["a"])
        let longer = LifecycleStage(succeeding: old.lifecycle.succession) { $0.retention = .seconds(2000) }
        _ = longer.start(at: 300)
        _ = longer.wakes(at: 1999)
        #expect(longer.keyIDs == ["a", "b"])
        _ = longer.wakes(at: 2000.1)
        #expect(longer.keyIDs == ["a"])
    }

    @Test func `the counters continue from the predecessor's`() throws {
        let old = try LifecycleStage.withKeys(["a"])
        let stage = LifecycleStage(succeeding: old.lifecycle.succession)
        _ = stage.start(at: 1)
        #expect(stage.counters == old.counters)
        #expect(stage.counters.fetches == 1)
    }
}
