import Testing

@testable import Quotas

struct CallerTimesTests {
    private func account(_ number: UInt64, quota: UInt64 = 1) -> QuotaAccount {
        QuotaAccount(quota: quota, high: number, low: 0)
    }

    @Test func `a caller has the time last set, and other callers have none`() {
        var times = CallerTimes()
        #expect(times.time(of: account(7)) == nil)
        times.change(account(7)) { $0 = 5 }
        times.change(account(7)) { $0 = ($0 ?? 0) + 1 }
        #expect(times.time(of: account(7)) == 6)
        #expect(times.time(of: account(7, quota: 2)) == nil)
        #expect(times.time(of: QuotaAccount(quota: 1, high: 7, low: 1)) == nil)
        #expect(times.count == 1)
    }

    @Test func `a lookup does not add the caller`() {
        var times = CallerTimes()
        #expect(times.change(account(7)) { $0 == nil })
        #expect(times.count == 0)
        #expect(times.time(of: account(7)) == nil)
    }

    @Test func `the table behaves like a dictionary, whatever is added and forgotten`() {
        var generator = SystemRandomNumberGenerator()
        let seed = generator.next()
        var draws = Draws(state: seed)
        var (times, model) = (CallerTimes(), [QuotaAccount: Int64]())
        for step in 0..<100_000 {
            // Few slots, so that many callers hash to the same one.
            let caller = QuotaAccount(
                quota: draws.next() % 3, high: draws.next() % 64 << (draws.next() % 20), low: draws.next() % 4)
            switch draws.next() % 1000 {
            case 0:
                let limit = Int64(draws.next() % 1000)
                times.keep { $0 > limit }
                model = model.filter { $0.value > limit }
            case 1..<300: #expect(times.time(of: caller) == model[caller], "seed \(seed), step \(step)")
            default:
                let time = Int64(draws.next() % 1000)
                let before = times.change(caller) { old in
                    defer { old = time }
                    return old
                }
                #expect(before == model[caller], "seed \(seed), step \(step)")
                model[caller] = time
            }
            #expect(times.count == model.count, "seed \(seed), step \(step)")
        }
        for (caller, time) in model { #expect(times.time(of: caller) == time, "seed \(seed)") }
    }

    private struct Draws {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
