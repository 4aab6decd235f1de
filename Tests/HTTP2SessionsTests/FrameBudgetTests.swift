import Testing

@testable import HTTP2Sessions

struct FrameBudgetTests {
    private typealias Frame = FrameScanner.Frame

    private static let ping = Frame(type: 6, content: 8)
    private static let windowUpdate = Frame(type: 8, content: 4)
    private static let cancel = Frame(type: 3, content: 4, errorCode: 8)
    private static let request = Frame(type: 1, content: 50, endsStream: true)
    private static let answer = Frame(type: 1, content: 20)
    private static let message = Frame(type: 0, content: 12)
    private static let end = Frame(type: 0, content: 2, endsStream: true)
    /// Ticks in thirty seconds.
    private static let period: UInt64 = 600

    private static func budget(peerIsTrusted: Bool, at tick: UInt64 = 0) -> FrameBudget {
        FrameBudget(for: peerIsTrusted ? .trustedProxy : .client, period: period, at: tick)
    }

    /// Number of a client's frames accepted in a row; 10,000 means all.
    private static func taken(_ frame: Frame, by budget: inout FrameBudget, at tick: UInt64 = 0) -> Int {
        (0..<10_000).first { _ in !budget.received(frame, at: tick) } ?? 10_000
    }

    @Test(arguments: [
        (Frame(type: 6, content: 8), 200), (.init(type: 4), 200), (.init(type: 2, content: 5), 200),
        (.init(type: 0), 200),
        (.init(type: 7, content: 8), 200), (.init(type: 5, content: 4), 200), (.init(type: 200), 200),
        (.init(type: 8, content: 4), 800),
        (.init(type: 3, content: 4, errorCode: 8), 200), (.init(type: 1, content: 50, endsStream: true), 10_000),
        (.init(type: 9, content: 50), 10_000), (.init(type: 9), 200), (.init(type: 0, content: 1), 10_000),
        (.init(type: 0, endsStream: true), 10_000),
    ])
    func `a frame without work is accepted a limited number of times`(frame: FrameScanner.Frame, count: Int) {
        for isTrusted in [false, true] {
            var budget = Self.budget(peerIsTrusted: isTrusted)
            #expect(Self.taken(frame, by: &budget) == count)
        }
    }

    @Test func `the frame budget is renewed after thirty seconds, and not earlier`() {
        var budget = Self.budget(peerIsTrusted: false, at: 7)
        #expect(Self.taken(Self.ping, by: &budget, at: 7) == 200)
        #expect(Self.taken(Self.ping, by: &budget, at: 6 + Self.period) == 0)
        #expect(Self.taken(Self.ping, by: &budget, at: 7 + Self.period) == 200)
        #expect(Self.taken(Self.ping, by: &budget, at: 7 + Self.period) == 0)
    }

    @Test func `a ping and two window updates per message of a call are always accepted, in both directions`() {
        for isSent in [false, true] {
            var budget = Self.budget(peerIsTrusted: false)
            let end = (0..<100_000).first { _ in
                guard isSent ? budget.sent(Self.message, at: 0) : budget.received(Self.message, at: 0) else {
                    return true
                }
                return [Self.ping, Self.windowUpdate, Self.windowUpdate].contains { !budget.received($0, at: 0) }
            }
            #expect(end == nil)
        }
    }

    @Test func `a client that opens its windows in small steps as it reads is accepted`() {
        var budget = Self.budget(peerIsTrusted: false)
        let end = (0..<10_000).first { _ in
            _ = budget.sent(Frame(type: 0, content: 16_384), at: 0)
            return (0..<32).contains { _ in !budget.received(Self.windowUpdate, at: 0) }
        }
        #expect(end == nil)
    }

    @Test func `the earned frame budget has a maximum`() {
        var budget = Self.budget(peerIsTrusted: false)
        for _ in 0..<100_000 { _ = budget.sent(Self.message, at: 0) }
        #expect(Self.taken(Self.ping, by: &budget) == 1000)
    }

    @Test(arguments: [(true, 2000), (false, 400)]) func `completed responses earn budget for resets, up to a maximum`(
        isTrusted: Bool, count: Int
    ) {
        var budget = Self.budget(peerIsTrusted: isTrusted)
        for _ in 0..<100_000 {
            _ = budget.sent(Self.answer, at: 0)
            _ = budget.sent(Self.end, at: 0)
        }
        #expect(Self.taken(Self.cancel, by: &budget) == count)
    }

    /// Number of rounds, each of three requests of which `count` are reset, until the connection is refused.
    private static func rounds(resetting count: Int, peerIsTrusted: Bool) -> Int {
        var budget = Self.budget(peerIsTrusted: peerIsTrusted)
        return (0..<100_000).first { _ in
            for number in 0..<3 {
                guard budget.received(Self.request, at: 0) else { return true }
                if number < count {
                    guard budget.received(Self.cancel, at: 0) else { return true }
                } else {
                    guard budget.sent(Self.answer, at: 0), budget.sent(Self.end, at: 0) else { return true }
                }
            }
            return false
        } ?? .max
    }

    @Test func `a trusted proxy may cancel two of three requests, an untrusted client one of two`() {
        #expect(Self.rounds(resetting: 1, peerIsTrusted: true) == .max)
        #expect(Self.rounds(resetting: 2, peerIsTrusted: true) == .max)
        #expect(Self.rounds(resetting: 3, peerIsTrusted: true) == 66)
        #expect(Self.rounds(resetting: 1, peerIsTrusted: false) == .max)
        #expect(Self.rounds(resetting: 2, peerIsTrusted: false) < 150)
    }

    @Test func `messages earn no budget for resets, and empty final frames none for pings`() {
        var budget = Self.budget(peerIsTrusted: false)
        for _ in 0..<1000 { _ = budget.received(Self.message, at: 0) }
        #expect(Self.taken(Self.cancel, by: &budget) == 200)
        var other = Self.budget(peerIsTrusted: false)
        for _ in 0..<1000 { _ = other.sent(Frame(type: 0, endsStream: true), at: 0) }
        #expect(Self.taken(Self.ping, by: &other) == 200)
    }

    @Test(arguments: [
        (UInt32(0), true), (1, false), (2, true), (3, false), (5, false), (6, false), (7, true), (8, true), (11, false),
    ])
    func `streams that the client makes us reset count like its own resets`(code: UInt32, isFree: Bool) {
        var budget = Self.budget(peerIsTrusted: false)
        let count = (0..<10_000).first { _ in !budget.sent(Frame(type: 3, content: 4, errorCode: code), at: 0) }
        #expect(count == (isFree ? nil : 200))
    }
}
