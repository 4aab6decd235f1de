import JOSE
import KeySets
import Testing
import TokenVerification

@Suite struct KeySetRefreshTests {
    @Test(arguments: [(0.0, 216.0), (0.5, 240.0), (1.0, 264.0)])
    func `a key set is refreshed after 80 % of its freshness, with a jitter of a tenth`(
        jitter: Double, expected: Double
    )
        throws
    {
        let stage = LifecycleStage()
        _ = stage.start()
        _ = stage.succeeds(1, with: try SampleKeys.keySet(["a"]), at: 0, jitter: jitter)
        #expect(stage.nextFetch == expected)
        #expect(stage.wakeUps.last == expected)
        #expect(stage.wakes(at: expected + 0.001) == [.startFetch(2)])
    }

    @Test(
        arguments: [
            (nil, 240.0), (0, 240.0), (299, 240.0), (1000, 800.0), (21_600, 17_280.0), (1_000_000_000, 17_280.0),
        ]
            as [(Int?, Double)])
    func `the server's freshness counts between five minutes and six hours`(
        maxAge: Int?, expected: Double
    ) throws {
        let stage = LifecycleStage()
        _ = stage.start()
        _ = stage.succeeds(1, with: try SampleKeys.keySet(["a"]), freshness: maxAge.map { .seconds($0) }, at: 0)
        #expect(stage.nextFetch == expected)
    }

    @Test func `an early wake-up starts no fetch`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        #expect(stage.wakes(at: 239.9) == [])
        #expect(stage.wakeUps.last == 240)
    }

    @Test func `refreshes do not use the allowance of unknown key IDs, nor the other way round (T365)`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 2 }
        let keys = try SampleKeys.keySet(["a"])
        _ = stage.needs("x", waiter: 1, at: 230)
        _ = stage.succeeds(2, with: keys, at: 230)
        _ = stage.needs("y", waiter: 2, at: 231)
        _ = stage.succeeds(3, with: keys, at: 231)
        #expect(stage.nextFetch == 471)
        #expect(stage.needs("z", waiter: 3, at: 232) == [.answer([3], .notAsked(retryAfter: .seconds(13)))])
        #expect(stage.wakes(at: 471) == [.startFetch(4)])
    }

    @Test func `a failed refresh keeps the keys and is retried with backoff`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.wakes(at: 240)
        #expect(stage.fails(2, at: 241) == [])
        #expect(stage.keyIDs == ["a"])
        #expect(stage.snapshot.generation == 1)
        #expect(stage.snapshot.fetchedAt == LifecycleStage.moment(0).date)
        #expect(!stage.snapshot.lastFetchSucceeded)
        #expect(stage.nextFetch == 242)
        _ = stage.wakes(at: 242)
        _ = stage.fails(3, at: 242)
        #expect(stage.nextFetch == 244)
        _ = stage.wakes(at: 244)
        _ = stage.succeeds(4, with: try SampleKeys.keySet(["a"]), at: 244)
        #expect(stage.snapshot.lastFetchSucceeded)
        #expect(stage.nextFetch == 484)
    }

    @Test func `past the stale limit the keys stay in the snapshot, but count as too stale (F03)`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        let day = 86_400.0
        #expect(!stage.snapshot.isTooStale(at: LifecycleStage.moment(day - 0.1).date))
        #expect(stage.snapshot.isTooStale(at: LifecycleStage.moment(day).date))
        _ = stage.wakes(at: 240)
        _ = stage.fails(2, at: day)
        #expect(stage.keyIDs == ["a"])
        #expect(!stage.snapshot.canWait)
        #expect(stage.needs("a", waiter: 1, at: day + 0.5) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.needs("b", waiter: 2, at: day + 0.5) == [.answer([2], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.wakes(at: day + 1) == [.startFetch(3)])
        #expect(stage.needs("a", waiter: 3, at: day + 1) == [])
        #expect(stage.succeeds(3, with: try SampleKeys.keySet(["a"]), at: day + 2) == [.answer([3], .keysChanged)])
        #expect(!stage.snapshot.isTooStale(at: LifecycleStage.moment(day + 2).date))
    }

    @Test func `staleness is measured by the wall clock`() throws {
        let snapshot = KeySetSnapshot(
            keys: try SampleKeys.keySet(["a"]), fetchedAt: NumericDate(seconds: 1000), staleLimit: .seconds(100))
        #expect(!snapshot.isTooStale(at: NumericDate(seconds: 500)))
        #expect(!snapshot.isTooStale(at: NumericDate(seconds: 1099)))
        #expect(snapshot.isTooStale(at: NumericDate(seconds: 1100)))
        #expect(KeySetSnapshot(staleLimit: .seconds(100)).isTooStale(at: NumericDate(seconds: 0)))
    }

    @Test func `an equal key set does not change the generation, whatever its order`() throws {
        let stage = try LifecycleStage.withKeys(["a", "b"])
        _ = stage.wakes(at: 240)
        let reversed = try SampleKeys.keySet(["a", "b"]).keys.reversed()
        _ = stage.succeeds(2, with: KeySet(keys: Array(reversed)), at: 241)
        #expect(stage.snapshot.generation == 1)
        #expect(stage.snapshot.fetchedAt == LifecycleStage.moment(241).date)
    }

    @Test func `a key ID with other key material is a change`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.wakes(at: 240)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"], firstMaterial: 1), at: 241)
        #expect(stage.snapshot.generation == 2)
        #expect(stage.keyIDs == ["a"])
    }

    @Test func `without retention, a key that left the document is unusable at once (T107)`() throws {
        let stage = try LifecycleStage.withKeys(["a", "b"])
        _ = stage.wakes(at: 240)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 241)
        #expect(stage.keyIDs == ["a"])
        #expect(stage.snapshot.generation == 2)
    }

    @Test func `a not-modified response renews the key set`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.wakes(at: 240)
        _ = stage.needs("b", waiter: 1, at: 240.5)
        #expect(stage.findsNothingNew(2, at: 241) == [.startFetch(3)])
        #expect(stage.findsNothingNew(3, at: 242) == [.answer([1], .confirmedUnknown)])
        #expect(stage.snapshot.generation == 1)
        #expect(stage.snapshot.fetchedAt == LifecycleStage.moment(242).date)
    }

    @Test func `a not-modified response without keys is a failure`() {
        let stage = LifecycleStage()
        _ = stage.start()
        _ = stage.findsNothingNew(1, at: 1)
        #expect(!stage.snapshot.lastFetchSucceeded)
        #expect(stage.nextFetch == 2)
    }
}

@Suite struct KeySetOrderTests {
    @Test func `the result of an outdated fetch is ignored`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        #expect(stage.succeeds(1, with: try SampleKeys.keySet(["old"]), at: 1) == [])
        #expect(stage.fails(7, at: 1) == [])
        #expect(stage.findsNothingNew(1, at: 1) == [])
        #expect(stage.keyIDs == ["a"])
        #expect(stage.snapshot.lastFetchSucceeded)
    }

    @Test
    func `a fetch that takes twice its deadline is cancelled, and its late result is ignored`()
        throws
    {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.wakes(at: 240)
        #expect(stage.wakes(at: 250) == [.cancelFetch(2)])
        #expect(stage.wakes(at: 251) == [.startFetch(3)])
        _ = stage.succeeds(3, with: try SampleKeys.keySet(["new"]), at: 252)
        #expect(stage.succeeds(2, with: try SampleKeys.keySet(["old"]), at: 253) == [])
        #expect(stage.keyIDs == ["new"])
    }

    @Test func `only one fetch runs at a time`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        #expect(stage.needs("b", waiter: 1, at: 239.9) == [.startFetch(2)])
        #expect(stage.wakes(at: 240) == [])
        #expect(stage.needs("c", waiter: 2, at: 240) == [])
    }

    @Test func `a changed file is read at once, and again after a read that may have been too early`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        #expect(stage.sourceChanges(at: 5) == [.startFetch(2)])
        #expect(stage.sourceChanges(at: 5.1) == [])
        #expect(stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 5.2) == [.startFetch(3)])
        #expect(stage.succeeds(3, with: try SampleKeys.keySet(["b"]), at: 5.3) == [])
        #expect(stage.keyIDs == ["b"])
    }

    @Test func `a stop cancels the fetch, answers waiting requests, and ends all activity`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.needs("b", waiter: 1, at: 10)
        #expect(stage.stop(at: 11) == [.cancelFetch(2), .answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.stop(at: 11) == [])
        #expect(stage.succeeds(2, with: try SampleKeys.keySet(["b"]), at: 12) == [])
        #expect(stage.wakes(at: 300) == [])
        #expect(stage.sourceChanges(at: 300) == [])
        #expect(stage.needs("b", waiter: 2, at: 300) == [.answer([2], .unavailable(retryAfter: .seconds(1)))])
        #expect(!stage.snapshot.canWait)
        #expect(stage.keyIDs == ["a"])
    }

    @Test func `a key set made too old by a clock step is fetched for the first request, which waits (F41)`()
        throws
    {
        let stage = try LifecycleStage.withKeys(["a"])
        let ahead = Moment(instant: LifecycleStage.moment(1).instant, date: LifecycleStage.moment(90_000).date)
        #expect(stage.lifecycle.requestNeedsKey("a", waiter: 1, at: ahead).contains(.startFetch(2)))
        let answers = stage.lifecycle.fetchSucceeded(2, with: try SampleKeys.keySet(["a"]), at: ahead, jitter: 0.5)
        #expect(answers.contains(.answer([1], .keysChanged)))
        #expect(!stage.snapshot.isTooStale(at: ahead.date))
    }

    @Test func `a key set made too old by a clock step is fetched once, and then with backoff`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        let ahead = Moment(instant: LifecycleStage.moment(1).instant, date: LifecycleStage.moment(90_000).date)
        #expect(stage.lifecycle.wakeUp(at: ahead, jitter: 0.5).contains(.startFetch(2)))
        _ = stage.lifecycle.fetchFailed(2, at: ahead, jitter: 0.5)
        #expect(
            stage.lifecycle.requestNeedsKey("a", waiter: 1, at: ahead) == [
                .answer([1], .unavailable(retryAfter: .seconds(1)))
            ])
    }

    @Test func `a snapshot has the cause of a failed fetch until one succeeds`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        let ahead = Moment(instant: LifecycleStage.moment(1).instant, date: LifecycleStage.moment(90_000).date)
        #expect(stage.lifecycle.wakeUp(at: ahead, jitter: 0.5).contains(.startFetch(2)))
        #expect(stage.snapshot.lastFailure == nil)
        let actions = stage.lifecycle.fetchFailed(2, cause: "connection refused", at: ahead, jitter: 0.5)
        #expect(actions.contains(.publish) && stage.lifecycle.snapshot.lastFailure == "connection refused")
        let later = Moment(instant: LifecycleStage.moment(200).instant, date: LifecycleStage.moment(90_200).date)
        #expect(stage.lifecycle.wakeUp(at: later, jitter: 0.5).contains(.startFetch(3)))
        _ = stage.lifecycle.fetchSucceeded(3, with: try SampleKeys.keySet(["a"]), at: later, jitter: 0.5)
        #expect(stage.lifecycle.snapshot.lastFailure == nil)
    }
}
