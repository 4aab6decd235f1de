import KeySets
import Testing
import TokenVerification

@testable import JOSE

@Suite struct KeySetSnapshotTests {
    @Test func `a store returns the snapshot published last`() {
        let store = KeySetStore(KeySetSnapshot(staleLimit: .seconds(1)))
        #expect(store.snapshot().generation == 0)
        store.publish(KeySetSnapshot(staleLimit: .seconds(1), generation: 5))
        #expect(store.snapshot().generation == 5)
    }

    @Test func `a store vouches for nothing that was verified before its tables failed`() throws {
        let tables = KeyTables(limit: 16, wake: { _ in }, report: { _ in })
        let keys = try SampleKeys.keySet(["a"])
        let time = NumericDate(seconds: 1_000)
        let store = KeySetStore(
            KeySetSnapshot(keys: keys, fetchedAt: time, staleLimit: .seconds(10)), tables: tables)
        let epoch = store.keyEpoch
        #expect(store.vouches(for: epoch, at: time))
        tables.fail(TableDifference(try #require(tables.published.first), isValid: true))
        #expect(!store.vouches(for: epoch, at: time))
        #expect(store.vouches(for: store.keyEpoch, at: time))
        // What the issuer publishes later has an epoch of its own still.
        store.publish(KeySetSnapshot(fetchedAt: time, staleLimit: .seconds(10), generation: 1))
        #expect(store.keyEpoch == epoch + 2)
    }

    @Test(arguments: [(nil, 1.0), (90, 1.0), (100, 1.0), (100.5, 1.0), (130, 30.0)] as [(Double?, Double)])
    func `Retry-After lasts until the next attempt, at least a second`(next: Double?, expected: Double) {
        let snapshot = KeySetSnapshot(staleLimit: .seconds(1), nextAttempt: next.map { NumericDate(seconds: $0) })
        #expect(snapshot.retryAfter(at: NumericDate(seconds: 100)) == .seconds(expected))
    }
}
