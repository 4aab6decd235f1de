import Testing

@testable import Supervision

struct RestartPolicyTests {
    /// Pauses after repeated crashes of workers that lived for this long; shorter if the supervisor gives up.
    private static func pauses(
        of policy: inout RestartPolicy, lifetime: Duration, count: Int
    ) -> (pauses: [Duration], end: Duration, isGivenUp: Bool) {
        var (now, pauses) = (Duration.zero, [Duration]())
        while pauses.count < count {
            guard case .restart(let pause) = policy.workerEnded(after: lifetime, at: now) else {
                return (pauses, now, true)
            }
            pauses.append(pause)
            now += pause + lifetime
        }
        return (pauses, now, false)
    }

    private static let growing: [Duration] = [
        .zero, .zero, .zero, .zero, .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
        .seconds(8),
    ]

    @Test func `a worker that ran long enough is replaced at once, however often it crashes`() {
        var policy = RestartPolicy()
        for hour in 1...100 {
            let verdict = policy.workerEnded(after: .seconds(3600), at: .seconds(3600 * hour))
            #expect(verdict == .restart(after: .zero))
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(100), .seconds(9)])
    func `F35 before any worker has served, crashes are restarted at growing intervals, and given up after a minute`(
        _ lifetime: Duration
    ) {
        var policy = RestartPolicy()
        let row = Self.pauses(of: &policy, lifetime: lifetime, count: 1000)
        #expect(row.isGivenUp)
        #expect(row.pauses.prefix(10) == Self.growing[..<min(10, row.pauses.count)])
        #expect(row.end >= .seconds(60) && row.end < .seconds(80))
    }

    @Test(arguments: [Duration.zero, .milliseconds(100), .seconds(9)])
    func `F35 after a worker has served, crashes are restarted without end, at bounded intervals`(_ lifetime: Duration)
    {
        var policy = RestartPolicy()
        policy.workerServes()
        let row = Self.pauses(of: &policy, lifetime: lifetime, count: 100_000)
        #expect(!row.isGivenUp)
        #expect(row.pauses.prefix(10) == Self.growing[...])
        #expect(row.pauses.dropFirst(10).allSatisfy { $0 == .seconds(10) })
    }

    @Test func `a worker that becomes ready in time resets the series of crashes`() {
        var policy = RestartPolicy()
        _ = policy.workerEnded(after: .zero, at: .zero)
        _ = policy.workerEnded(after: .zero, at: .seconds(59))
        policy.workerServes()
        let verdicts = [61, 3600, 7200].map { policy.workerEnded(after: .zero, at: .seconds($0)) }
        #expect(verdicts == [.restart(after: .zero), .restart(after: .zero), .restart(after: .milliseconds(250))])
    }

    @Test func `a worker that ran long enough resets the series of crashes`() {
        var policy = RestartPolicy()
        let row = (0..<6).map { policy.workerEnded(after: .milliseconds(1), at: .seconds($0)) }
        #expect(row.last == .restart(after: .milliseconds(500)))
        let verdicts = [
            policy.workerEnded(after: .seconds(10), at: .seconds(300)),
            policy.workerEnded(after: .milliseconds(1), at: .seconds(301)),
        ]
        #expect(verdicts == [.restart(after: .zero), .restart(after: .zero)])
    }
}
