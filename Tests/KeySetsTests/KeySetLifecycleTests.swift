import JOSE
import KeySets
import Testing
import TokenVerification

@Suite struct FirstKeysTests {
    @Test func `the start begins the first fetch, and requests can wait for it`() {
        let stage = LifecycleStage()
        #expect(!stage.snapshot.canWait)
        #expect(stage.start() == [.startFetch(1)])
        #expect(stage.snapshot.canWait)
        #expect(stage.snapshot.keys == nil)
        #expect(!stage.firstFetchHasEnded)
        #expect(stage.publications == 1)
        #expect(stage.start() == [])
    }

    @Test func `requests wait for the first fetch and retry the lookup when it brings keys`() throws {
        let stage = LifecycleStage()
        _ = stage.start()
        #expect(stage.needs("a", waiter: 1, at: 1) == [])
        #expect(stage.needs(nil, waiter: 2, at: 2) == [])
        #expect(stage.succeeds(1, with: try SampleKeys.keySet(["a"]), at: 3) == [.answer([1, 2], .keysChanged)])
        #expect(stage.keyIDs == ["a"])
        #expect(stage.snapshot.generation == 1)
        #expect(stage.snapshot.fetchedAt == LifecycleStage.moment(3).date)
        #expect(stage.firstFetchHasEnded)
    }

    @Test func `when the first fetch fails, waiting requests get the time of the next attempt`() {
        let stage = LifecycleStage()
        _ = stage.start()
        _ = stage.needs("a", waiter: 1, at: 0.5)
        #expect(stage.fails(1, at: 1) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.firstFetchHasEnded)
        #expect(!stage.snapshot.canWait)
        #expect(stage.snapshot.nextAttempt == LifecycleStage.moment(2).date)
    }

    @Test func `between attempts requests are answered at once and cause no fetch`() {
        let stage = LifecycleStage()
        _ = stage.start()
        _ = stage.fails(1, at: 1)
        _ = stage.wakes(at: 2)
        _ = stage.fails(2, at: 2)
        #expect(stage.nextFetch == 4)
        #expect(stage.needs("a", waiter: 1, at: 2.5) == [.answer([1], .unavailable(retryAfter: .milliseconds(1500)))])
        #expect(stage.needs(nil, waiter: 2, at: 3.5) == [.answer([2], .unavailable(retryAfter: .seconds(1)))])
    }

    @Test func `a failed first fetch is retried after one second, doubling up to a minute`() {
        let stage = LifecycleStage()
        _ = stage.start()
        var now = 0.0
        var waits: [Double] = []
        for number in 1...9 {
            _ = stage.fails(UInt64(number), at: now)
            guard let next = stage.nextFetch else { break }
            waits.append(next - now)
            now = next
            #expect(stage.wakeUps.last == next)
            #expect(stage.wakes(at: now) == [.startFetch(UInt64(number + 1))])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test func `a server's Retry-After is respected up to a minute (F06)`() {
        let stage = LifecycleStage()
        _ = stage.start()
        _ = stage.fails(1, retryAfter: .seconds(20), at: 0, jitter: 0)
        #expect(stage.nextFetch == 20)
        _ = stage.wakes(at: 20)
        _ = stage.fails(2, retryAfter: .seconds(86_400), at: 20, jitter: 0)
        #expect(stage.nextFetch == 80)
    }

    @Test func `gateways with the same Retry-After retry at different times, and none too early`() {
        let waits = [0, 0.25, 0.5, 1].map { jitter in
            let stage = LifecycleStage()
            _ = stage.start()
            _ = stage.fails(1, retryAfter: .seconds(30), at: 0, jitter: jitter)
            return stage.nextFetch
        }
        #expect(waits == [30, 31.5, 33, 36])
    }

    @Test func `once a key set is too old, the first refused request ends the waiting of others`()
        throws
    {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.staleLimit = .seconds(300) }
        #expect(stage.wakes(at: 240) == [.startFetch(2)])
        _ = stage.fails(2, at: 299.5)
        // Until then an unknown key ID could have caused a fetch.
        #expect(stage.snapshot.canWait)
        #expect(stage.needs("a", waiter: 1, at: 300) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(!stage.snapshot.canWait)
    }

    @Test func `a first key set without the key leads to one more fetch, because the first began before the request`()
        throws
    {
        let stage = LifecycleStage()
        _ = stage.start()
        _ = stage.needs("b", waiter: 1, at: 1)
        #expect(stage.succeeds(1, with: try SampleKeys.keySet(["a"]), at: 2) == [.startFetch(2)])
        #expect(stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 3) == [.answer([1], .confirmedUnknown)])
    }
}

@Suite struct UnknownKeyIDTests {
    @Test func `an unknown key ID causes a fetch, and the waiting request finds the key`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        #expect(stage.snapshot.canWait)
        #expect(stage.needs("b", waiter: 1, at: 10) == [.startFetch(2)])
        #expect(stage.succeeds(2, with: try SampleKeys.keySet(["a", "b"]), at: 11) == [.answer([1], .keysChanged)])
        #expect(stage.snapshot.generation == 2)
    }

    @Test func `a fetch that began after the request and does not bring the key confirms it as unknown`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.needs("b", waiter: 1, at: 10)
        #expect(stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 11) == [.answer([1], .confirmedUnknown)])
        #expect(stage.snapshot.generation == 1)
    }

    @Test func `a failed fetch that began after the request leaves the key ID undecided`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.needs("b", waiter: 1, at: 10)
        #expect(stage.fails(2, at: 11) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.keyIDs == ["a"])
    }

    @Test func `a fetch that began before the request confirms nothing`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        #expect(stage.needs("b", waiter: 1, at: 10) == [.startFetch(2)])
        #expect(stage.needs("c", waiter: 2, at: 10.5) == [])
        let actions = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 11)
        #expect(actions == [.answer([1], .confirmedUnknown), .startFetch(3)])
        #expect(stage.succeeds(3, with: try SampleKeys.keySet(["a"]), at: 12) == [.answer([2], .confirmedUnknown)])
    }

    @Test func `a failed fetch that began before the request is followed by another, if allowed`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 2 }
        _ = stage.needs("b", waiter: 1, at: 10)
        _ = stage.needs("c", waiter: 2, at: 10.5)
        #expect(stage.fails(2, at: 11) == [.answer([1], .unavailable(retryAfter: .seconds(1))), .startFetch(3)])
        #expect(stage.fails(3, at: 12) == [.answer([2], .unavailable(retryAfter: .seconds(2)))])
    }

    @Test
    func `a request that waited during another's fetch and cannot have its own gets the time of the next allowed one`()
        throws
    {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 1 }
        _ = stage.needs("b", waiter: 1, at: 10)
        #expect(stage.needs("c", waiter: 2, at: 10.5) == [])
        #expect(
            stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 11) == [
                .answer([1], .confirmedUnknown), .answer([2], .notAsked(retryAfter: .seconds(14))),
            ])
    }

    @Test func `five fetches are saved up, and one is added every fifteen seconds`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        let keys = try SampleKeys.keySet(["a"])
        for number in 2...6 as ClosedRange<UInt64> {
            let seconds = Double(number) + 8
            #expect(stage.snapshot.canWait)
            #expect(stage.needs("x\(number)", waiter: number, at: seconds) == [.startFetch(number)])
            #expect(stage.succeeds(number, with: keys, at: seconds) == [.answer([number], .confirmedUnknown)])
        }
        #expect(!stage.snapshot.canWait)
        #expect(stage.needs("x7", waiter: 7, at: 14.5) == [.answer([7], .notAsked(retryAfter: .milliseconds(10_500)))])
        #expect(stage.needs("x8", waiter: 8, at: 24.5) == [.answer([8], .notAsked(retryAfter: .seconds(1)))])
        #expect(stage.needs("x9", waiter: 9, at: 25) == [.startFetch(7)])
        _ = stage.succeeds(7, with: keys, at: 25)
        #expect(stage.needs("x10", waiter: 10, at: 39.5) == [.answer([10], .notAsked(retryAfter: .seconds(1)))])
        #expect(stage.needs("x11", waiter: 11, at: 40) == [.startFetch(8)])
    }

    @Test func `the next fetch, whatever its cause, also settles key IDs that had no fetch of their own`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 1 }
        let keys = try SampleKeys.keySet(["a"])
        _ = stage.needs("b", waiter: 1, at: 10)
        _ = stage.succeeds(2, with: keys, at: 10)
        #expect(stage.needs("c", waiter: 2, at: 11) == [.answer([2], .notAsked(retryAfter: .seconds(14)))])
        _ = stage.needs("d", waiter: 3, at: 25)
        #expect(stage.succeeds(3, with: keys, answering: ["c", "a"], at: 25) == [.answer([3], .confirmedUnknown)])
        #expect(stage.needs("c", waiter: 4, at: 26) == [.answer([4], .confirmedUnknown)])
        #expect(stage.needs("a", waiter: 5, at: 26) == [.answer([5], .keysChanged)])
        #expect(!stage.snapshot.refused.contains("a"))
        // Also by a fetch that finds nothing new, but not by a failed one.
        #expect(stage.needs("e", waiter: 6, at: 27) == [.answer([6], .notAsked(retryAfter: .seconds(13)))])
        _ = stage.sourceChanges(at: 28)
        _ = stage.fails(4, at: 28)
        #expect(!stage.snapshot.refused.contains("e"))
        _ = stage.sourceChanges(at: 29)
        _ = stage.findsNothingNew(5, answering: ["e"], at: 29)
        #expect(stage.snapshot.refused.contains("e"))
    }

    @Test func `a refused key ID is refused by the snapshot for a minute`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.needs("b", waiter: 1, at: 10)
        let before = stage.publications
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 11)
        #expect(stage.publications == before + 1)
        #expect(stage.snapshot.refused.contains("b"))
        #expect(stage.wakeUps.last == 71)
        _ = stage.wakes(at: 71)
        #expect(!stage.snapshot.refused.contains("b"))
        #expect(stage.publications == before + 2)
        #expect(stage.wakeUps.last == 251)
    }

    @Test func `when the list of refused key IDs is full, further key IDs are refused without a fetch`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 1 }
        _ = stage.needs("b", waiter: 1, at: 10)
        let names = Set((0..<RefusedKeyIDs.limit).map { "x\($0)" })
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), answering: names, at: 10)
        #expect(stage.snapshot.refused.isFull)
        #expect(stage.needs("c", waiter: 2, at: 11) == [.answer([2], .confirmedUnknown)])
        // An allowed fetch is made all the same.
        #expect(stage.needs("c", waiter: 3, at: 25) == [.startFetch(3)])
    }

    @Test func `requests can wait again as soon as a new fetch is allowed`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 1 }
        _ = stage.needs("x", waiter: 1, at: 10)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 10)
        #expect(!stage.snapshot.canWait)
        #expect(stage.snapshot.nextAttempt == LifecycleStage.moment(25).date)
        #expect(stage.wakeUps.last == 25)
        #expect(stage.wakes(at: 25) == [])
        #expect(stage.snapshot.canWait)
        #expect(stage.snapshot.nextAttempt == nil)
    }

    @Test func `failed fetches count against the allowance`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 2 }
        _ = stage.needs("x1", waiter: 1, at: 10)
        _ = stage.fails(2, at: 10)
        _ = stage.needs("x2", waiter: 2, at: 10.5)
        _ = stage.fails(3, at: 10.5)
        #expect(stage.nextFetch == 12.5)
        #expect(stage.needs("x3", waiter: 3, at: 10.6) == [.answer([3], .unavailable(retryAfter: .milliseconds(1900)))])
        #expect(!stage.snapshot.lastFetchSucceeded)
        #expect(!stage.snapshot.canWait)
    }

    @Test func `after a failed refresh an unknown key ID may still cause a fetch`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.wakes(at: 240)
        _ = stage.fails(2, at: 241)
        #expect(stage.needs("b", waiter: 1, at: 241.5) == [.startFetch(3)])
    }

    @Test func `a recently refused key ID causes no further fetch`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        let keys = try SampleKeys.keySet(["a"])
        _ = stage.needs("stale", waiter: 1, at: 10)
        _ = stage.succeeds(2, with: keys, at: 11)
        #expect(stage.needs("stale", waiter: 2, at: 12) == [.answer([2], .confirmedUnknown)])
        // Nor while a fetch is running, which leaves its allowance to other key IDs.
        #expect(stage.needs("new", waiter: 3, at: 13) == [.startFetch(3)])
        #expect(stage.needs("stale", waiter: 4, at: 13.5) == [.answer([4], .confirmedUnknown)])
        _ = stage.succeeds(3, with: keys, at: 14)
        #expect(stage.counters.unknownKeyIDsRefused == 2)
        // Each refused key ID has its own minute, which no later fetch extends.
        #expect(stage.needs("stale", waiter: 5, at: 70.9) == [.answer([5], .confirmedUnknown)])
        #expect(stage.needs("stale", waiter: 6, at: 71.1) == [.startFetch(4)])
    }

    @Test func `a request that arrived during the fetch that refused its key ID causes no fetch either`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.needs("b", waiter: 1, at: 10)
        _ = stage.needs("b", waiter: 2, at: 10.5)
        #expect(
            stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 11) == [
                .answer([1], .confirmedUnknown), .answer([2], .confirmedUnknown),
            ])
    }

    @Test func `refused key IDs are forgotten when the keys change, so that a new key is found`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.needs("b", waiter: 1, at: 10)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a"]), at: 11)
        _ = stage.sourceChanges(at: 12)
        _ = stage.succeeds(3, with: try SampleKeys.keySet(["a", "b"]), at: 12)
        #expect(stage.needs("b", waiter: 2, at: 13) == [.answer([2], .keysChanged)])
        _ = stage.sourceChanges(at: 14)
        _ = stage.succeeds(4, with: try SampleKeys.keySet(["a"]), at: 14)
        #expect(stage.needs("b", waiter: 3, at: 15) == [.startFetch(5)])
    }

    @Test func `a failed fetch adds no refused key ID`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.needs("b", waiter: 1, at: 10)
        _ = stage.fails(2, at: 11)
        #expect(stage.needs("b", waiter: 2, at: 12) == [.startFetch(3)])
    }

    @Test func `a fetch that finds its key is given back, once a minute`() throws {
        let stage = try LifecycleStage.withKeys(["0"])
        var number: UInt64 = 1
        var started: [Bool] = []
        // An issuer that rotates every second.
        for second in 1...130 {
            let actions = stage.needs("\(second)", waiter: UInt64(second), at: Double(second))
            started.append(actions == [.startFetch(number + 1)])
            guard started.last == true else { continue }
            number += 1
            _ = stage.succeeds(number, with: try SampleKeys.keySet(["\(second)"]), at: Double(second))
        }
        // Five were saved up and one was given back; then one is added every fifteen seconds, and one is given back
        // every minute.
        let seconds = started.indices.filter { started[$0] }.map { $0 + 1 }
        #expect(seconds == [1, 2, 3, 4, 5, 6, 17, 32, 47, 62, 63, 77, 92, 107, 122, 123])
    }

    @Test func `a fetch is not given back for a new key that no request waited for`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.unknownKeyIDBurst = 1 }
        _ = stage.needs("b", waiter: 1, at: 10)
        _ = stage.succeeds(2, with: try SampleKeys.keySet(["a", "c"]), at: 11)
        #expect(!stage.snapshot.canWait)
        #expect(stage.needs("d", waiter: 2, at: 12) == [.answer([2], .notAsked(retryAfter: .seconds(13)))])
    }

    @Test func `ten thousand unknown key IDs within fifty seconds cause eight fetches (T363)`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        var fetches = 0
        for index in 0..<10_000 {
            let seconds = 1 + Double(index) * 0.005
            let started = stage.needs("random-\(index)", waiter: UInt64(index), at: seconds)
            guard case .startFetch(let number)? = started.last else { continue }
            fetches += 1
            _ = stage.succeeds(number, with: try SampleKeys.keySet(["a"]), at: seconds)
        }
        #expect(fetches == 5 + 3)
    }

    @Test func `a thousand requests for one new key wait for one fetch and are each answered once (T364)`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        let started = (1...1000).map { stage.needs("b", waiter: UInt64($0), at: 10) }
        #expect(started.flatMap { $0 } == [.startFetch(2)])
        #expect(
            stage.succeeds(2, with: try SampleKeys.keySet(["a", "b"]), at: 11) == [
                .answer((1...1000).map { UInt64($0) }, .keysChanged)
            ])
        #expect(stage.succeeds(2, with: try SampleKeys.keySet(["a", "b"]), at: 12) == [])
    }

    @Test func `the number of waiting requests is limited`() throws {
        let stage = try LifecycleStage.withKeys(["a"]) { $0.waitingLimit = 2 }
        #expect(stage.needs("b", waiter: 1, at: 10) == [.startFetch(2)])
        #expect(stage.needs("b", waiter: 2, at: 10) == [])
        #expect(stage.needs("b", waiter: 3, at: 10) == [.answer([3], .notAsked(retryAfter: .seconds(1)))])
        stage.lifecycle.waiterLeft(1)
        #expect(stage.needs("b", waiter: 4, at: 10) == [])
        #expect(stage.succeeds(2, with: try SampleKeys.keySet(["b"]), at: 11) == [.answer([2, 4], .keysChanged)])
    }

    @Test func `a request for a known key is answered at once, without a fetch`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        #expect(stage.needs("a", waiter: 1, at: 10) == [.answer([1], .keysChanged)])
        #expect(stage.needs(nil, waiter: 2, at: 10) == [.answer([2], .keysChanged)])
    }

    @Test func `no request waits longer than the fetch deadline`() throws {
        let stage = try LifecycleStage.withKeys(["a"])
        _ = stage.needs("b", waiter: 1, at: 10)
        _ = stage.needs("c", waiter: 2, at: 12)
        #expect(stage.wakeUps.last == 15)
        #expect(stage.wakes(at: 15) == [.answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.wakeUps.last == 17)
        #expect(stage.wakes(at: 17) == [.answer([2], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.succeeds(2, with: try SampleKeys.keySet(["b"]), at: 18) == [])
    }
}
