import ProxySettings
import Testing

@testable import ReverseProxy

struct SessionRefusalsTests {
    private static let second: Int64 = 1_000_000_000

    private func refused(_ count: Int, at now: Int64 = 0) -> SessionRefusals {
        var refusals = SessionRefusals()
        for _ in 0..<count { refusals.refused(at: now) }
        return refusals
    }

    @Test func `connecting stops after the limit of consecutive refusing sessions, not before`() {
        var short = refused(FixedLimits.refusingSessions - 1)
        for _ in 0..<10 { expect(short.mayConnect(at: 0)) }
        var row = refused(FixedLimits.refusingSessions)
        expect(!row.mayConnect(at: 0) && !row.mayConnect(at: Self.second - 1))
    }

    @Test func `while connecting is stopped, one request a second may try`() {
        var refusals = refused(FixedLimits.refusingSessions)
        for second in 1...5 as ClosedRange<Int64> {
            expect(refusals.mayConnect(at: second * Self.second))
            expect(!refusals.mayConnect(at: second * Self.second))
            expect(!refusals.mayConnect(at: second * Self.second + Self.second - 1))
        }
        refusals.refused(at: 9 * Self.second)
        expect(!refusals.mayConnect(at: 10 * Self.second - 1))
        expect(refusals.mayConnect(at: 10 * Self.second))
    }

    @Test func `a session that takes requests resumes connecting, and only an answer resets the count`() {
        var refusals = refused(FixedLimits.refusingSessions)
        refusals.accepted()
        for _ in 0..<3 { expect(refusals.mayConnect(at: 0)) }
        refusals.refused(at: 0)
        expect(!refusals.mayConnect(at: 0))
        refusals.accepted()
        refusals.answered()
        refusals.refused(at: 0)
        expect(refusals.mayConnect(at: 0))
    }

    @Test func `refusing sessions are counted at the latest time without overflow`() {
        var refusals = refused(FixedLimits.refusingSessions, at: .max)
        expect(refusals.mayConnect(at: .max))
    }
}
