import TestSupport
import Testing

@testable import Quotas

/// Many callers under many quotas, within a limit.
struct QuotaTableTests {
    private static let second: Int64 = 1_000_000_000

    private static func charge(_ caller: UInt64, _ rate: QuotaRate, quota: UInt64 = 1) -> QuotaCharge {
        QuotaCharge(QuotaAccount(quota: quota, high: caller, low: 0), rate)
    }

    private static func isGranted(_ verdict: QuotaVerdict) -> Bool {
        if case .granted = verdict { true } else { false }
    }

    @Test func `callers and quotas are counted separately`() {
        let (table, rate) = (QuotaTable(limit: 10), QuotaRate(requests: 1, period: .seconds(60)))
        #expect(Self.isGranted(table.charge([Self.charge(1, rate)], at: 0)))
        #expect(Self.isGranted(table.charge([Self.charge(2, rate)], at: 0)))
        #expect(Self.isGranted(table.charge([Self.charge(1, rate, quota: 2)], at: 0)))
        #expect(
            table.charge([Self.charge(1, rate)], at: 20 * Self.second)
                == .exceeded(QuotaStanding(charge: 0, remaining: 0, wait: .seconds(40))))
    }

    @Test func `a refused request is charged to no quota`() {
        let table = QuotaTable(limit: 10)
        let (wide, narrow) = (
            QuotaRate(requests: 3, period: .seconds(60)), QuotaRate(requests: 1, period: .seconds(60))
        )
        let both = [Self.charge(1, wide), Self.charge(1, narrow, quota: 2)]
        #expect(Self.isGranted(table.charge(both, at: 0)))
        for _ in 0..<5 {
            #expect(table.charge(both, at: 0) == .exceeded(QuotaStanding(charge: 1, remaining: 0, wait: .seconds(60))))
        }
        // Two requests of the larger quota are left.
        #expect(
            table.charge([Self.charge(1, wide)], at: 0)
                == .granted(QuotaStanding(charge: 0, remaining: 1, wait: .seconds(40))))
        let ample = QuotaRate(requests: 5, period: .seconds(60))
        #expect(
            table.charge([Self.charge(7, ample)], at: 0)
                == .granted(QuotaStanding(charge: 0, remaining: 4, wait: .seconds(12), isLow: false)))
        #expect(Self.isGranted(table.charge([Self.charge(1, wide)], at: 0)))
        #expect(!Self.isGranted(table.charge([Self.charge(1, wide)], at: 0)))
    }

    @Test
    func `of several quotas the longest wait and the smallest remainder are reported`() {
        let table = QuotaTable(limit: 10)
        let (slow, quick) = (QuotaRate(requests: 1, period: .seconds(90)), QuotaRate(requests: 1, period: .seconds(3)))
        let both = [Self.charge(1, quick), Self.charge(1, slow, quota: 2)]
        #expect(table.charge(both, at: 0) == .granted(QuotaStanding(charge: 0, remaining: 0, wait: .seconds(3))))
        #expect(
            table.charge(both, at: Self.second) == .exceeded(QuotaStanding(charge: 1, remaining: 0, wait: .seconds(89)))
        )
    }

    @Test func `a full table refuses new callers until known ones are at rest`() {
        let (table, rate) = (QuotaTable(limit: 3), QuotaRate(requests: 2, period: .seconds(20)))
        for caller: UInt64 in 1...3 {
            #expect(Self.isGranted(table.charge([Self.charge(caller, rate)], at: Int64(caller))))
        }
        #expect(table.charge([Self.charge(4, rate)], at: Self.second) == .full)
        #expect(Self.isGranted(table.charge([Self.charge(2, rate)], at: Self.second)))
        #expect(table.charge([Self.charge(4, rate)], at: 9 * Self.second) == .full)
        #expect(table.count == 3)
        // Two callers are at rest after ten seconds; the other came twice.
        #expect(Self.isGranted(table.charge([Self.charge(4, rate)], at: 11 * Self.second)))
        #expect(table.count == 2)
        #expect(!Self.isGranted(table.charge([Self.charge(4, rate)], at: 11 * Self.second)) == false)
    }

    @Test func `a request that needs two entries gets both or none`() {
        let (table, rate) = (QuotaTable(limit: 2), QuotaRate(requests: 1, period: .seconds(20)))
        #expect(Self.isGranted(table.charge([Self.charge(1, rate)], at: 0)))
        #expect(table.charge([Self.charge(2, rate), Self.charge(2, rate, quota: 2)], at: 0) == .full)
        #expect(table.count == 1)
        #expect(Self.isGranted(table.charge([Self.charge(2, rate)], at: 0)))
    }

    @Test func `callers at rest are forgotten after a while, and no other callers`() {
        let (table, rate) = (QuotaTable(limit: 100_000), QuotaRate(requests: 1, period: .seconds(10)))
        for caller: UInt64 in 0..<1000 {
            _ = table.charge([Self.charge(caller, rate)], at: Int64(caller) * Self.second / 100)
        }
        table.forgetResting(at: 15 * Self.second)
        #expect(table.count == 499)
        #expect(!Self.isGranted(table.charge([Self.charge(999, rate)], at: 15 * Self.second)))
        table.forgetResting(at: 30 * Self.second)
        #expect(table.count == 0)
    }

    @Test func `a lowered limit forgets no caller`() {
        let (table, rate) = (QuotaTable(limit: 4), QuotaRate(requests: 2, period: .seconds(20)))
        for caller: UInt64 in 1...4 { _ = table.charge([Self.charge(caller, rate)], at: 0) }
        table.setLimit(2)
        #expect(Self.isGranted(table.charge([Self.charge(4, rate)], at: 0)))
        #expect(!Self.isGranted(table.charge([Self.charge(4, rate)], at: 0)))
        #expect(table.charge([Self.charge(5, rate)], at: 0) == .full)
    }

    /// Random requests of random callers under two quotas, compared with a table without a limit that forgets nothing.
    @Test func `forgetting callers at rest changes no verdict`() {
        var generator = SeededGenerator(seed: 33)
        let rates = [
            QuotaRate(requests: 3, period: .seconds(5)), QuotaRate(requests: 10, period: .seconds(60), burst: 4),
        ]
        let (table, whole) = (QuotaTable(limit: 100_000), QuotaTable(limit: .max))
        var (now, granted, refused): (Int64, Int, Int) = (0, 0, 0)
        for round in 0..<20_000 {
            now += Int64.random(in: 0...Self.second / 16, using: &generator)
            let caller = UInt64.random(in: 0..<40, using: &generator)
            let charges = [Self.charge(caller, rates[0]), Self.charge(caller, rates[1], quota: 2)].prefix(
                generator.once(in: 2) ? 1 : 2)
            let verdict = table.charge(Array(charges), at: now)
            #expect(verdict == whole.charge(Array(charges), at: now))
            if Self.isGranted(verdict) { granted += 1 } else { refused += 1 }
            if round % 50 == 0 { table.forgetResting(at: now) }
        }
        #expect(granted > 1000 && refused > 1000, "\(granted) \(refused)")
    }
}
