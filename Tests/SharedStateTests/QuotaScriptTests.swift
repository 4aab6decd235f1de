import Quotas
import Testing

@testable import SharedState

/// Commands to the store, and the accepted replies.
struct QuotaScriptTests {
    private static let secret = [UInt8](repeating: 7, count: 32)
    private static let rate = QuotaRate(requests: 2, period: .seconds(60))

    private static func charge(_ caller: UInt64, _ rate: QuotaRate = rate, quota: UInt64 = 1) -> QuotaCharge {
        QuotaCharge(QuotaAccount(quota: quota, high: caller, low: 0), rate)
    }

    @Test func `a store command names accounts by digests, and intervals in microseconds`() throws {
        let script = try #require(QuotaScript(secret: Self.secret))
        let command = try #require(script.command([Self.charge(1), Self.charge(1, quota: 2)], digest: Array("d".utf8)))
        let words = command.map { String(decoding: $0, as: UTF8.self) }
        #expect(
            words.prefix(3) == ["EVALSHA", "d", "2"]
                && words.suffix(4) == ["30000000", "60000000", "30000000", "60000000"])
        let keys = Set(words[3...4])
        #expect(keys.count == 2 && keys.allSatisfy { $0.wholeMatch(of: /bearward:[0-9a-f]{32}/) != nil }, "\(keys)")
        // Another secret gives other names.
        let other = try #require(
            QuotaScript(secret: [UInt8](repeating: 8, count: 32))?.command([Self.charge(1)], digest: []))
        #expect(other[3] != command[3])
    }

    @Test func `a fraction of a microsecond in an interval is rounded up`() throws {
        let script = try #require(QuotaScript(secret: Self.secret))
        let command = try #require(
            script.command([Self.charge(1, QuotaRate(requests: 3, period: .seconds(1)))], digest: []))
        #expect(command.suffix(2).map { String(decoding: $0, as: UTF8.self) } == ["333334", "1000002"])
    }

    @Test func `a short secret is refused, and so are too many accounts`() {
        #expect(QuotaScript(secret: [1, 2, 3]) == nil)
        let many = (0...UInt64(QuotaScript.mostAccounts)).map { Self.charge($0) }
        #expect(QuotaScript(secret: Self.secret)?.command(many, digest: []) == nil)
    }

    @Test func `well-formed store replies are read as verdicts`() {
        let charges = [Self.charge(1), Self.charge(1, QuotaRate(requests: 10, period: .seconds(1)), quota: 2)]
        #expect(
            QuotaScript.verdict(.list([.integer(1), .integer(30_000_000), .integer(100_000)]), on: charges)
                == .granted(QuotaStanding(charge: 0, remaining: 1, wait: .seconds(30))))
        #expect(
            QuotaScript.verdict(.list([.integer(1), .integer(60_000_000), .integer(100_000)]), on: charges)
                == .granted(QuotaStanding(charge: 0, remaining: 0, wait: .seconds(30))))
        #expect(
            QuotaScript.verdict(.list([.integer(0), .integer(2), .integer(99_000)]), on: charges)
                == .exceeded(QuotaStanding(charge: 1, remaining: 0, wait: .milliseconds(99))))
    }

    @Test(arguments: [
        StoreValue.null, .integer(1), .text([0x31]), .error("ERR"), .list([]), .list([.integer(1)]),
        .list([.integer(2), .integer(5)]),
        .list([.text([0x31]), .integer(5)]), .list([.integer(1), .text([0x35])]), .list([.integer(1), .null]),
        .list([.integer(1), .integer(0)]), .list([.integer(1), .integer(-1)]),
        .list([.integer(1), .integer(60_000_001)]),
        .list([.integer(1), .integer(.max)]), .list([.integer(1), .integer(.min)]),
        .list([.integer(1), .integer(1), .integer(1)]),
        .list([.integer(0), .integer(0), .integer(5)]), .list([.integer(0), .integer(2), .integer(5)]),
        .list([.integer(0), .integer(.min), .integer(5)]), .list([.integer(0), .integer(.max), .integer(5)]),
        .list([.integer(0), .integer(1), .integer(0)]), .list([.integer(0), .integer(1), .integer(30_000_001)]),
        .list([.integer(0), .integer(1), .integer(.max)]), .list([.integer(0), .integer(1)]),
        .list([.list([.integer(1)])]),
    ])
    func `a malformed store reply is ignored`(answer: StoreValue) {
        #expect(QuotaScript.verdict(answer, on: [Self.charge(1)]) == nil)
    }

    @Test func `store requests are answered in order, expired ones unanswered, and a silent store is detected`() {
        let start = ContinuousClock.now
        var pending = PendingQuestions()
        #expect(pending.wait(at: start) == nil && pending.takeFirst() == nil)
        for caller: UInt64 in 1...3 {
            let deadline = start + .milliseconds(50 * Int(caller))
            pending.append(StoreQuestion(charges: [Self.charge(caller)], deadline: deadline) { _ in }, at: start)
        }
        #expect(pending.wait(at: start) == .milliseconds(50))
        #expect(pending.takeLate(at: start + .milliseconds(49)).isEmpty)
        #expect(
            pending.takeLate(at: start + .milliseconds(101)).map(\.charges) == [[Self.charge(1)], [Self.charge(2)]])
        #expect(!pending.isStalled(at: start + .seconds(1), after: .seconds(1)))
        #expect(pending.isStalled(at: start + .milliseconds(1001), after: .seconds(1)))
        // The store's late replies to them still come first.
        let first = pending.takeFirst()
        #expect(first?.charges == [Self.charge(1)] && first?.question == nil)
        _ = pending.takeFirst()
        #expect(pending.takeFirst()?.question?.charges == [Self.charge(3)])
        #expect(pending.takeAll().isEmpty && pending.takeFirst() == nil)
    }

    @Test func `completed store requests are removed from memory`() {
        let start = ContinuousClock.now
        var pending = PendingQuestions()
        for round in 0..<5000 {
            pending.append(StoreQuestion(charges: [Self.charge(UInt64(round))], deadline: start) { _ in }, at: start)
            guard round >= 100 else { continue }
            #expect(pending.takeFirst()?.charges == [Self.charge(UInt64(round - 100))])
        }
        #expect(pending.takeAll().count == 100)
    }

    @Test func `a failing store is retried at growing intervals of up to two seconds`() {
        var backoff = StoreBackoff()
        #expect(
            (0..<7).map { _ in backoff.failed() } == [100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
        backoff.succeeded()
        #expect(backoff.failed() == .milliseconds(100))
    }
}
