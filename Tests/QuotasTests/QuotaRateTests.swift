import TestSupport
import Testing

@testable import Quotas

/// Counting of one caller's requests under one rate.
struct QuotaRateTests {
    private static let second: Int64 = 1_000_000_000

    private static func permitted(_ rate: QuotaRate, at times: [Int64]) -> [Bool] {
        var time: Int64?
        return times.map { now in
            guard case .permitted(let next) = rate.step(from: time, at: now) else { return false }
            time = next
            return true
        }
    }

    @Test func `as many requests as the burst pass at once, then one per interval`() {
        let rate = QuotaRate(requests: 60, period: .seconds(60), burst: 3)
        let s = Self.second
        #expect(
            Self.permitted(rate, at: [0, 0, 0, 0, s - 1, s, s, 2 * s]) == [
                true, true, true, false, false, true, false, true,
            ])
        // A caller that was idle has its full burst again, and no more.
        #expect(
            Self.permitted(rate, at: [0, 0, 0, 900 * s, 900 * s, 900 * s, 900 * s]) == [
                true, true, true, true, true, true, false,
            ])
    }

    @Test func `a burst of one permits evenly spaced requests only`() {
        let rate = QuotaRate(requests: 2, period: .seconds(1), burst: 1)
        #expect(
            Self.permitted(rate, at: [0, 1, 499_999_999, 500_000_000, 999_999_999, 1_000_000_000]) == [
                true, false, false, true, false, true,
            ])
    }

    @Test func `the burst defaults to the number of requests`() {
        let rate = QuotaRate(requests: 5, period: .seconds(1))
        #expect(rate.burst == 5 && rate.interval == 200_000_000 && rate.capacity == Self.second)
    }

    @Test func `an interval is rounded up, so that the rate is never exceeded`() {
        #expect(QuotaRate(requests: 3, period: .seconds(1)).interval == 333_333_334)
        #expect(QuotaRate(requests: 7, period: .seconds(86_400)).interval == 12_342_857_142_858)
        #expect(QuotaRate(requests: 1_000_000, period: .seconds(1)).interval == 1000)
    }

    /// A client that waits exactly as long as reported is always accepted; one that comes a second earlier never is.
    @Test func `a request after Retry-After passes, and none before, in a hundred thousand random cases`() {
        var generator = SeededGenerator(seed: 31)
        var refusals = 0
        while refusals < 100_000 {
            let rate = QuotaRate(
                requests: Int.random(in: 1...5000, using: &generator),
                period: .seconds(Int.random(in: 1...100_000, using: &generator)),
                burst: Int.random(in: 1...50, using: &generator))
            var (now, time): (Int64, Int64?) = (Int64.random(in: 0...1 << 60, using: &generator), nil)
            for _ in 0..<60 {
                switch rate.step(from: time, at: now) {
                case .permitted(let next): time = next
                case .refused(let wait):
                    refusals += 1
                    let seconds = (wait - 1) / Self.second + 1
                    guard case .permitted = rate.step(from: time, at: now + seconds * Self.second) else {
                        Issue.record("\(rate) refuses after \(seconds) s")
                        return
                    }
                    if case .permitted = rate.step(from: time, at: now + (seconds - 1) * Self.second) {
                        Issue.record("\(rate) permits before \(seconds) s")
                        return
                    }
                }
                now += Int64.random(in: 0...rate.interval / 2, using: &generator)
            }
        }
    }

    @Test func `in any time span at most burst plus rate requests pass`() {
        var generator = SeededGenerator(seed: 32)
        for _ in 0..<200 {
            let rate = QuotaRate(
                requests: Int.random(in: 1...100, using: &generator),
                period: .seconds(Int.random(in: 1...60, using: &generator)),
                burst: Int.random(in: 1...30, using: &generator))
            var (now, time): (Int64, Int64?) = (0, nil)
            var passed: [Int64] = []
            for _ in 0..<500 {
                now += Int64.random(in: 0...rate.interval, using: &generator)
                if case .permitted(let next) = rate.step(from: time, at: now) {
                    time = next
                    passed.append(now)
                }
            }
            for (index, start) in passed.enumerated().filter({ $0.offset % 37 == 0 }) {
                for (later, end) in passed.enumerated().dropFirst(index) {
                    #expect(later - index + 1 <= rate.burst + Int((end - start) / rate.interval))
                }
            }
        }
    }

    @Test func `a clock that goes back, or a lower rate after a reload, locks no caller out`() {
        let rate = QuotaRate(requests: 1, period: .seconds(10), burst: 1)
        guard case .refused(let wait) = rate.step(from: 5000 * Self.second, at: 0) else {
            Issue.record("not refused")
            return
        }
        #expect(wait == rate.interval)
    }

    @Test func `extreme values are limited to the bounds`() {
        let rate = QuotaRate(requests: 0, period: .seconds(Int64.max), burst: .max)
        #expect(
            rate.requests == 1 && rate.interval == QuotaRate.longestCapacity
                && rate.capacity == QuotaRate.longestCapacity)
        #expect(QuotaRate(requests: .max, period: .zero, burst: -1).capacity == 1)
        #expect(rate.step(from: .max, at: 1 << 62) == .refused(wait: rate.interval))
    }

    @Test func `each of several processes permits its share of the quota`() {
        let part = QuotaRate(requests: 100, period: .seconds(60), burst: 20).part(of: 4)
        #expect(part.interval == 2_400_000_000 && part.burst == 5)
        #expect(QuotaRate(requests: 1, period: .seconds(1)).part(of: 4).burst == 1)
    }
}
