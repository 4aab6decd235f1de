import KeySets
import Testing
import TokenVerification

@Suite struct KeySetSnapshotTests {
    @Test func `a store returns the snapshot published last`() {
        let store = KeySetStore(KeySetSnapshot(staleLimit: .seconds(1)))
        #expect(store.snapshot().generation == 0)
        store.publish(KeySetSnapshot(staleLimit: .seconds(1), generation: 5))
        #expect(store.snapshot().generation == 5)
    }

    @Test(arguments: [(nil, 1.0), (90, 1.0), (100, 1.0), (100.5, 1.0), (130, 30.0)] as [(Double?, Double)])
    func `Retry-After lasts until the next attempt, at least a second`(next: Double?, expected: Double) {
        let snapshot = KeySetSnapshot(staleLimit: .seconds(1), nextAttempt: next.map { NumericDate(seconds: $0) })
        #expect(snapshot.retryAfter(at: NumericDate(seconds: 100)) == .seconds(expected))
    }
}
