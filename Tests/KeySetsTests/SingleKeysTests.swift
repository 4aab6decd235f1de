import JOSE
import KeySets
import Testing
import TokenVerification

/// Life of a source whose keys are fetched one by one.
@Suite struct SingleKeysTests {
    private static let ids = (0..<40).map { "00000000-0000-4000-8000-0000000000" + ($0 < 10 ? "0\($0)" : "\($0)") }
    private static let (a, b, c) = (ids[0], ids[1], ids[2])

    private static func stage(
        succeeding predecessor: KeySetSuccession? = nil, _ change: (inout KeySetConfiguration) -> Void = { _ in }
    ) -> LifecycleStage {
        LifecycleStage(succeeding: predecessor) { configuration in
            configuration.source = .singleKeys(below: "https://keys.example")
            configuration.keyLimit = 32
            change(&configuration)
        }
    }

    private static func key(_ keyID: String, material: Int = 0) throws -> VerificationKey {
        try #require(try SampleKeys.keySet([keyID], firstMaterial: material).keys.first)
    }

    /// A stage with these keys, each fetched at second 0.
    private static func stage(with keyIDs: [String], _ change: (inout KeySetConfiguration) -> Void = { _ in }) throws
        -> LifecycleStage
    {
        let stage = stage(change)
        _ = stage.start()
        for (index, keyID) in keyIDs.enumerated() {
            _ = stage.needs(keyID, waiter: UInt64(1000 + index), at: 0)
            _ = stage.ends(UInt64(index + 1), with: try key(keyID), at: 0)
        }
        return stage
    }

    @Test func `the start fetches nothing, and the set is usable though empty`() {
        let stage = Self.stage()
        #expect(stage.start() == [])
        #expect(stage.firstFetchHasEnded)
        #expect(stage.keyIDs == [])
        #expect(!stage.snapshot.isTooStale(at: LifecycleStage.moment(1e9).date))
        #expect(stage.snapshot.canWait)
        #expect(stage.nextFetch == nil)
        #expect(stage.snapshot.fetchedAt == nil)
        #expect(stage.needs(nil, waiter: 1, at: 1) == [.answer([1], .keysChanged)])
        #expect(stage.counters.fetches == 0)
    }

    @Test func `a request waits for its own key, and others for the same key wait with it`() throws {
        let stage = Self.stage()
        _ = stage.start()
        #expect(stage.needs(Self.a, waiter: 1, at: 1) == [.startKeyFetch(1, keyID: Self.a)])
        #expect(stage.needs(Self.a, waiter: 2, at: 1) == [])
        #expect(stage.ends(1, with: try Self.key(Self.a), at: 2) == [.answer([1, 2], .keysChanged)])
        #expect(stage.keyIDs == [Self.a])
        #expect(stage.snapshot.fetchedAt == LifecycleStage.moment(2).date)
        #expect(stage.needs(Self.a, waiter: 3, at: 3) == [.answer([3], .keysChanged)])
    }

    @Test func `the answer for one key says nothing about another`() throws {
        let stage = Self.stage()
        _ = stage.start()
        _ = stage.needs(Self.a, waiter: 1, at: 1)
        #expect(stage.needs(Self.b, waiter: 2, at: 1) == [])
        #expect(stage.ends(1, with: nil, at: 2) == [.answer([1], .confirmedUnknown), .startKeyFetch(2, keyID: Self.b)])
        #expect(stage.snapshot.refused.contains(Self.a) && !stage.snapshot.refused.contains(Self.b))
        #expect(stage.ends(2, with: try Self.key(Self.b), at: 3) == [.answer([2], .keysChanged)])
        // The other key does not make this one known.
        #expect(stage.needs(Self.a, waiter: 3, at: 4) == [.answer([3], .confirmedUnknown)])
        #expect(stage.needs(Self.a, waiter: 4, at: 63) == [.startKeyFetch(3, keyID: Self.a)])
    }

    @Test func `made-up key IDs are fetched as the allowance permits, and no more`() throws {
        let stage = Self.stage()
        _ = stage.start()
        for number in 0..<5 {
            let id = UInt64(number + 1)
            #expect(stage.needs(Self.ids[number], waiter: id, at: 1) == [.startKeyFetch(id, keyID: Self.ids[number])])
            #expect(stage.ends(id, with: nil, at: 1) == [.answer([id], .confirmedUnknown)])
        }
        #expect(stage.needs(Self.ids[5], waiter: 6, at: 2) == [.answer([6], .notAsked(retryAfter: .seconds(14)))])
        #expect(!stage.snapshot.canWait)
        #expect(stage.needs(Self.ids[0], waiter: 7, at: 2) == [.answer([7], .confirmedUnknown)])
        #expect(stage.needs(Self.ids[6], waiter: 8, at: 16) == [.startKeyFetch(6, keyID: Self.ids[6])])
        #expect(stage.counters.unknownKeyIDFetches == 6)
    }

    @Test func `requests that wait for other keys share the allowance`() throws {
        let stage = Self.stage { $0.unknownKeyIDBurst = 2 }
        _ = stage.start()
        _ = stage.needs(Self.a, waiter: 1, at: 1)
        _ = stage.needs(Self.b, waiter: 2, at: 1)
        _ = stage.needs(Self.c, waiter: 3, at: 1)
        #expect(stage.ends(1, with: nil, at: 1) == [.answer([1], .confirmedUnknown), .startKeyFetch(2, keyID: Self.b)])
        #expect(
            stage.ends(2, with: nil, at: 1) == [
                .answer([2], .confirmedUnknown), .answer([3], .notAsked(retryAfter: .seconds(15))),
            ])
    }

    @Test(arguments: ["6F1D3A52-8C07-4BE9-9A41-D2F0B7E35C18", "a/../b", "k1"])
    func `a key ID that is no UUID in lower case is never fetched`(keyID: String) {
        let stage = Self.stage()
        _ = stage.start()
        #expect(!stage.snapshot.canHaveKey(keyID))
        #expect(stage.needs(keyID, waiter: 1, at: 1) == [.answer([1], .confirmedUnknown)])
        #expect(stage.counters.fetches == 0)
    }

    @Test func `a failed fetch answers its own requests, and keeps the other keys`() throws {
        let stage = try Self.stage(with: [Self.a])
        _ = stage.needs(Self.b, waiter: 1, at: 1)
        _ = stage.needs(Self.c, waiter: 2, at: 1)
        #expect(
            stage.fails(2, at: 2) == [
                .answer([1], .unavailable(retryAfter: .seconds(1))), .startKeyFetch(3, keyID: Self.c),
            ])
        #expect(stage.keyIDs == [Self.a])
        #expect(!stage.snapshot.lastFetchSucceeded && !stage.snapshot.refused.contains(Self.b))
        #expect(stage.ends(3, with: try Self.key(Self.c), at: 3) == [.answer([2], .keysChanged)])
        #expect(stage.keyIDs == [Self.a, Self.c])
    }

    @Test func `a key is fetched again before it becomes too old, and dropped if it is gone`() throws {
        let stage = try Self.stage(with: [Self.a, Self.b])
        // Four fifths of six hours.
        #expect(stage.nextFetch == 17_280)
        #expect(stage.wakes(at: 17_279) == [])
        #expect(stage.wakes(at: 17_280) == [.startKeyFetch(3, keyID: Self.a)])
        #expect(stage.ends(3, with: try Self.key(Self.a), at: 17_281) == [.startKeyFetch(4, keyID: Self.b)])
        #expect(stage.ends(4, with: nil, at: 17_282) == [])
        #expect(stage.keyIDs == [Self.a])
        #expect(stage.nextFetch == 34_561)
        #expect(stage.counters.unknownKeyIDFetches == 2)
        #expect(stage.counters.keysRemoved == 1)
    }

    @Test func `a key that cannot be fetched again is used until the stale limit, then no longer`() throws {
        let stage = try Self.stage(with: [Self.a])
        _ = stage.wakes(at: 17_280)
        var (number, now) = (UInt64(2), 17_281.0)
        while now < 86_400 {
            #expect(stage.fails(number, at: now) == [])
            #expect(stage.keyIDs == [Self.a])
            guard let next = stage.nextFetch, next < 86_400 else { break }
            now = next
            number += 1
            #expect(stage.wakes(at: now) == [.startKeyFetch(number, keyID: Self.a)])
        }
        #expect(stage.nextFetch.map { $0 >= 86_400 } ?? false)
        _ = stage.wakes(at: 86_400)
        #expect(stage.keyIDs == [])
        // The set itself never counts as too old: the key is fetched like any unknown one.
        #expect(!stage.snapshot.isTooStale(at: LifecycleStage.moment(86_401).date))
    }

    @Test func `the number of keys is bounded, and the oldest goes first`() throws {
        let stage = Self.stage { configuration in
            configuration.keyLimit = 3
            configuration.unknownKeyIDInterval = .seconds(1)
        }
        _ = stage.start()
        for (index, keyID) in Self.ids.prefix(5).enumerated() {
            let now = Double(index) * 20
            _ = stage.needs(keyID, waiter: UInt64(index), at: now)
            _ = stage.ends(UInt64(index + 1), with: try Self.key(keyID), at: now)
        }
        #expect(stage.keyIDs == [Self.ids[2], Self.ids[3], Self.ids[4]])
    }

    @Test func `saved keys are used at once, and each is fetched again`() throws {
        let before = try Self.stage(with: [Self.a, Self.b])
        let saved = try #require(before.saved)
        let configuration = before.configuration
        let text = try #require(saved.text(for: configuration))
        let read = try SavedKeySet(parsing: text.span, for: configuration, at: LifecycleStage.moment(10).date)
        let stage = Self.stage()
        #expect(stage.beginsRestoring(at: 10) == [])
        #expect(stage.needs(Self.b, waiter: 1, at: 10) == [])
        #expect(stage.needs(Self.c, waiter: 2, at: 10) == [])
        #expect(
            stage.start(restoring: read, at: 10) == [.answer([1], .keysChanged), .startKeyFetch(1, keyID: Self.c)])
        #expect(stage.isUnconfirmed)
        #expect(
            stage.ends(1, with: nil, at: 11) == [.answer([2], .confirmedUnknown), .startKeyFetch(2, keyID: Self.a)])
        #expect(stage.ends(2, with: try Self.key(Self.a), at: 12) == [.startKeyFetch(3, keyID: Self.b)])
        #expect(stage.isUnconfirmed)
        #expect(stage.ends(3, with: try Self.key(Self.b), at: 13) == [])
        #expect(!stage.isUnconfirmed)
        #expect(stage.keyIDs == [Self.a, Self.b])
    }

    @Test func `saved keys that are too old are not used`() throws {
        let before = try Self.stage(with: [Self.a])
        let saved = try #require(before.saved)
        let stage = Self.stage()
        #expect(stage.start(restoring: saved, at: 86_401) == [])
        #expect(stage.keyIDs == [])
        #expect(!stage.isUnconfirmed)
    }

    @Test func `a successor goes on with the keys, their ages and its own limits`() throws {
        let before = try Self.stage(with: [Self.a, Self.b])
        let stage = Self.stage(succeeding: before.lifecycle.succession) { $0.staleLimit = .seconds(100) }
        #expect(stage.start(at: 50) == [])
        #expect(stage.keyIDs == [Self.a, Self.b])
        _ = stage.wakes(at: 100)
        #expect(stage.keyIDs == [])
    }

    @Test func `an operator's request fetches all keys again, one after the other`() throws {
        let stage = try Self.stage(with: [Self.a, Self.b])
        #expect(stage.sourceChanges(at: 5) == [.startKeyFetch(3, keyID: Self.a)])
        #expect(stage.ends(3, with: try Self.key(Self.a, material: 2), at: 6) == [.startKeyFetch(4, keyID: Self.b)])
        #expect(stage.ends(4, with: nil, at: 7) == [])
        #expect(stage.keyIDs == [Self.a])
        #expect(Self.stage().sourceChanges(at: 1) == [])
    }

    @Test func `an answer to an earlier fetch, or after the stop, changes nothing`() throws {
        let stage = Self.stage()
        _ = stage.start()
        _ = stage.needs(Self.a, waiter: 1, at: 1)
        #expect(stage.ends(7, with: try Self.key(Self.a), at: 2) == [])
        #expect(stage.stop(at: 3) == [.cancelFetch(1), .answer([1], .unavailable(retryAfter: .seconds(1)))])
        #expect(stage.ends(1, with: try Self.key(Self.a), at: 4) == [])
        #expect(stage.keyIDs == [])
    }

    @Test func `the store vouches for cached tokens until their key is gone`() throws {
        let stage = try Self.stage(with: [Self.a])
        let store = KeySetStore(stage.snapshot)
        let epoch = store.keyEpoch
        #expect(store.vouches(for: epoch, at: LifecycleStage.moment(80_000).date))
        _ = stage.wakes(at: 17_280)
        _ = stage.ends(2, with: nil, at: 17_281)
        store.publish(stage.snapshot)
        #expect(!store.vouches(for: epoch, at: LifecycleStage.moment(17_281).date))
    }
}

extension LifecycleStage {
    func ends(_ number: UInt64, with key: VerificationKey?, at seconds: Double) -> [KeySetLifecycle.Action] {
        perform { $0.keyFetchEnded(number, with: key, at: Self.moment(seconds)) }
    }
}
