import JOSE
import KeySets
import Testing
import TokenVerification

@Suite struct KeyRetentionTests {
    @Test func `a key that left the document stays usable until its retention ends`() throws {
        let stage = try LifecycleStage.withKeys(["a", "b"]) { $0.retention = .seconds(1000) }
        _ = stage.wakes(at: 240)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 240)
        #expect(stage.keyIDs == ["a", "b"])
        #expect(stage.snapshot.generation == 1)
        _ = stage.wakes(at: 480)
        _ = stage.findsNothingNew(3, at: 999)
        #expect(stage.keyIDs == ["a", "b"])
        _ = stage.wakes(at: 1239)
        _ = stage.findsNothingNew(4, at: 1239)
        #expect(stage.keyIDs == ["a"])
        #expect(stage.snapshot.generation == 2)
    }

    @Test func `a key's retention ends on time, even while every fetch fails`() throws {
        let stage = try LifecycleStage.withKeys(["a", "b"]) {
            $0.retention = .seconds(1000)
            $0.refreshInterval = .seconds(3600)
        }
        #expect(stage.needs("x", waiter: 1, at: 10) == [.startFetch(2)])
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 10)
        _ = stage.wakes(at: 70)
        #expect(stage.wakeUps.last == 1000)
        _ = stage.wakes(at: 1000)
        #expect(stage.keyIDs == ["a"])
        #expect(stage.snapshot.generation == 2)
    }

    @Test func `a retained key is found and causes no fetch`() throws {
        let stage = try LifecycleStage.withKeys(["a", "b"]) { $0.retention = .seconds(1000) }
        _ = stage.wakes(at: 240)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 240)
        #expect(stage.needs("b", waiter: 1, at: 500) == [.answer([1], .keysChanged)])
        #expect(stage.counters.unknownKeyIDFetches == 0)
    }

    @Test func `keys of two alternating documents are all accepted`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.retention = .seconds(86_400) }
        _ = stage.wakes(at: 240)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["b"], firstMaterial: 1), at: 240)
        _ = stage.wakes(at: 480)
        _ = stage.succeeds(3, with: try SampleKeys.keySet(["a"]), at: 480)
        #expect(stage.keyIDs == ["a", "b"])
        #expect(stage.snapshot.generation == 2)
    }

    @Test func `the document's key replaces a retained key with the same key ID`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.retention = .seconds(86_400) }
        _ = stage.wakes(at: 240)
        let replaced = try SampleKeys.keySet(["a"], firstMaterial: 1)
        _ = stage.succeeds(2, with: replaced, at: 240)
        #expect(stage.snapshot.keys?.keys.map(\.thumbprint) == replaced.keys.map(\.thumbprint))
    }

    @Test func `the number of retained keys is limited, and the most recently seen ones stay`() throws {
        let stage = try LifecycleStage.withKeys(["k0"]) {
            $0.retention = .seconds(86_400)
            $0.keyLimit = 3
        }
        for index in 1...9 {
            let seconds = Double(index) * 240
            _ = stage.wakes(at: seconds)
            _ = stage.succeeds(UInt64(index + 1), with: try SampleKeys.keySet(["k\(index)"]), at: seconds)
        }
        #expect(stage.keyIDs == ["k6", "k7", "k8", "k9"])
    }

    @Test func `key IDs that look alike but differ in bytes are two retained keys`() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let stage = try LifecycleStage.withKeys([composed]) { $0.retention = .seconds(86_400) }
        _ = stage.wakes(at: 240)
        _ = stage.succeeds(2, with: try SampleKeys.keySet([decomposed]), at: 240)
        #expect(stage.snapshot.keys?.keys.count == 2)
        #expect(stage.snapshot.generation == 2)
    }
}
