import KeySets
import Testing

@Suite struct FetchAllowanceTests {
    private let beginning = ContinuousClock.now

    private func after(_ seconds: Int) -> ContinuousClock.Instant { beginning.advanced(by: .seconds(seconds)) }

    /// Results of taking a fetch at each of these seconds, in turn.
    private func taking(from allowance: FetchAllowance, at seconds: [Int]) -> [Bool] {
        var allowance = allowance
        return seconds.map { allowance.take(at: after($0)) }
    }

    @Test func `saved fetches can be used at once, and one is added per interval`() {
        let allowance = FetchAllowance(burst: 2, interval: .seconds(60))
        #expect(allowance.nextFetch(at: after(0)) == after(0))
        #expect(taking(from: allowance, at: [0, 30, 59, 60, 119, 120]) == [true, true, false, true, false, true])
    }

    @Test func `at most the burst of fetches is saved up`() {
        let allowance = FetchAllowance(burst: 2, interval: .seconds(60))
        let later = 1_000_000
        #expect(
            taking(from: allowance, at: [0, 0, later, later, later, later + 59, later + 60]) == [
                true, true, true, true, false, false, true,
            ])
    }

    @Test func `the time of the next allowed fetch is known`() {
        var allowance = FetchAllowance(burst: 1, interval: .seconds(60))
        _ = allowance.take(at: after(5))
        #expect(allowance.nextFetch(at: after(6)) == after(65))
        #expect(allowance.nextFetch(at: after(66)) == after(66))
    }

    @Test func `a fetch can be given back once a minute, never beyond the burst`() {
        var allowance = FetchAllowance(burst: 2, interval: .seconds(300))
        allowance.giveBack(at: after(0))
        #expect(taking(from: allowance, at: [0, 0, 0]) == [true, true, false])
        _ = allowance.take(at: after(1))
        _ = allowance.take(at: after(1))
        allowance.giveBack(at: after(2))
        #expect(taking(from: allowance, at: [2, 2]) == [true, false])
        _ = allowance.take(at: after(3))
        allowance.giveBack(at: after(61))
        #expect(taking(from: allowance, at: [61]) == [false])
        allowance.giveBack(at: after(62))
        #expect(taking(from: allowance, at: [62, 62]) == [true, false])
        // The interval continues independently.
        #expect(allowance.nextFetch(at: after(63)) == after(63))
        _ = allowance.take(at: after(63))
        #expect(allowance.nextFetch(at: after(64)) == after(301))
    }

    @Test func `a burst of zero never allows a fetch`() {
        let allowance = FetchAllowance(burst: -1, interval: .zero)
        #expect(taking(from: allowance, at: [0, 1000]) == [false, false])
        #expect(allowance.nextFetch(at: after(0)) == nil)
    }
}
