import JOSE
import Testing
import TokenVerification

@testable import KeySets

@Suite struct KeySetRestorationTests {
    private func saved(at seconds: Double, kept: [KeptKey] = []) throws -> SavedKeySet {
        SavedKeySet(document: try SampleKeys.keySet(["a"]), fetchedAt: LifecycleStage.moment(seconds).date, kept: kept)
    }

    private func kept(_ keyID: String, lastSeen seconds: Double) throws -> [KeptKey] {
        try SampleKeys.keySet([keyID], firstMaterial: 1).keys.map {
            KeptKey($0, lastSeen: LifecycleStage.moment(seconds).date)
        }
    }

    @Test func `a restored key set is served at once, and fetched again however fresh it is`() throws {
        let stage = LifecycleStage()
        #expect(stage.start(restoring: try saved(at: -1)) == [.startFetch(1)])
        #expect(stage.keyIDs == ["a"])
        #expect(stage.isUnconfirmed)
        #expect(stage.firstFetchHasEnded)
        #expect(stage.needs("a", waiter: 1, at: 0.1) == [.answer([1], .keysChanged)])
        _ = stage.succeeds(1, with: try SampleKeys.keySet(["b"]), at: 1)
        #expect(stage.keyIDs == ["b"])
        #expect(!stage.isUnconfirmed)
        #expect(stage.snapshot.generation == 2)
    }

    @Test func `requests wait while the saved set is read, and continue to wait only if their key is not in it`() throws
    {
        let stage = LifecycleStage()
        #expect(stage.beginsRestoring() == [])
        #expect(stage.snapshot.canWait)
        #expect(!stage.firstFetchHasEnded)
        #expect(stage.needs("a", waiter: 1, at: 0.1) == [])
        #expect(stage.needs(nil, waiter: 2, at: 0.1) == [])
        #expect(stage.needs("b", waiter: 3, at: 0.1) == [])
        #expect(
            stage.start(restoring: try saved(at: -1000), at: 0.2) == [.answer([1, 2], .keysChanged), .startFetch(1)])
        #expect(stage.succeeds(1, with: try SampleKeys.keySet(["a"]), at: 0.3) == [.answer([3], .confirmedUnknown)])
    }

    @Test func `if nothing was saved, requests continue to wait for the first fetch`() throws {
        let stage = LifecycleStage()
        _ = stage.beginsRestoring()
        _ = stage.needs("a", waiter: 1, at: 0.1)
        #expect(stage.start(at: 0.2) == [.startFetch(1)])
        #expect(!stage.firstFetchHasEnded)
        #expect(stage.succeeds(1, with: try SampleKeys.keySet(["a"]), at: 0.3) == [.answer([1], .keysChanged)])
    }

    @Test func `a saved set that takes longer than two seconds to read is ignored`() throws {
        let stage = LifecycleStage()
        _ = stage.beginsRestoring()
        #expect(stage.wakeUps.last == 2)
        #expect(stage.wakes(at: 1.9) == [])
        #expect(stage.wakes(at: 2) == [.startFetch(1)])
        #expect(stage.start(restoring: try saved(at: -1), at: 3) == [])
        #expect(stage.keyIDs == [])
    }

    @Test func `a stop while the saved set is read answers waiting requests, and starts no fetch`() throws {
        let stage = LifecycleStage()
        _ = stage.beginsRestoring()
        _ = stage.needs("a", waiter: 1, at: 0.1)
        #expect(stage.stop(at: 0.2) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.start(restoring: try saved(at: -1), at: 0.3) == [])
        #expect(stage.keyIDs == [])
    }

    @Test func `after a restart the stale limit counts from the original fetch`() throws {
        let stage = LifecycleStage()
        _ = stage.start(restoring: try saved(at: -86_000))
        _ = stage.fails(1, at: 1)
        #expect(!stage.snapshot.isTooStale(at: LifecycleStage.moment(399).date))
        #expect(stage.snapshot.isTooStale(at: LifecycleStage.moment(400).date))
    }

    @Test func `a saved set past the stale limit answers no request, and does not count as a first fetch`() throws {
        let stage = LifecycleStage()
        _ = stage.start(restoring: try saved(at: -86_400))
        #expect(!stage.firstFetchHasEnded)
        #expect(stage.needs("a", waiter: 1, at: 1) == [])
        #expect(stage.fails(1, at: 2) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.snapshot.isTooStale(at: LifecycleStage.moment(2).date))
    }

    @Test func `a saved set alone never confirms a key ID as unknown`() throws {
        let stage = LifecycleStage()
        _ = stage.start(restoring: try saved(at: -1))
        _ = stage.fails(1, at: 1)
        #expect(!stage.snapshot.lastFetchSucceeded)
        #expect(stage.needs("b", waiter: 1, at: 1.1) == [.startFetch(2)])
        #expect(stage.fails(2, at: 1.2) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
    }

    @Test func `a restored retained key stays usable only for the rest of its retention`() throws {
        let stage = LifecycleStage { $0.retention = .seconds(86_400) }
        _ = stage.start(restoring: try saved(at: -100, kept: kept("gone", lastSeen: -86_000)))
        #expect(stage.keyIDs == ["a", "gone"])
        _ = stage.succeeds(1, with: try SampleKeys.keySet(["a"]), at: 1)
        #expect(stage.keyIDs == ["a", "gone"])
        _ = stage.wakes(at: 399)
        #expect(stage.keyIDs == ["a", "gone"])
        _ = stage.wakes(at: 400.1)
        #expect(stage.keyIDs == ["a"])
    }

    @Test func `a retained key is not restored after its retention ended, or without retention`()
        throws
    {
        let stage = LifecycleStage { $0.retention = .seconds(86_400) }
        _ = stage.start(restoring: try saved(at: -100, kept: kept("gone", lastSeen: -86_400)))
        #expect(stage.keyIDs == ["a"])
        let other = LifecycleStage()
        _ = other.start(restoring: try saved(at: -100, kept: kept("gone", lastSeen: -200)))
        #expect(other.keyIDs == ["a"])
    }

    @Test func `a key of the saved document that the issuer dropped is retained from when it was last seen`() throws {
        let stage = LifecycleStage { $0.retention = .seconds(1000) }
        _ = stage.start(restoring: try saved(at: -900))
        _ = stage.succeeds(1, with: try SampleKeys.keySet(["b"], firstMaterial: 1), at: 1)
        #expect(stage.keyIDs == ["a", "b"])
        _ = stage.wakes(at: 100.1)
        #expect(stage.keyIDs == ["b"])
    }

    @Test func `a predecessor's keys are not replaced by saved ones`() throws {
        let predecessor = KeySetSuccession(
            saved: SavedKeySet(document: try SampleKeys.keySet(["now"]), fetchedAt: LifecycleStage.moment(-10).date),
            generation: 4, lastFetchSucceeded: true)
        let stage = LifecycleStage(succeeding: predecessor)
        #expect(stage.start(restoring: try saved(at: -1)) == [])
        #expect(stage.keyIDs == ["now"])
    }
}
