import Testing

@testable import Supervision

struct RestartPolicyTests {
    @Test func `a worker that has worked is replaced at once, however often`() {
        var policy = RestartPolicy()
        for hour in 1...100 {
            let verdict = policy.workerEnded(after: .seconds(3600), at: .seconds(3600 * hour))
            #expect(verdict == .restart(after: .zero))
            #expect(!policy.isBackingOff)
        }
    }

    @Test func `F35 ends in a row come with growing pauses, and after a minute of them it is given up`() {
        var policy = RestartPolicy()
        var (now, pauses) = (Duration.zero, [Duration]())
        while case .restart(let pause) = policy.workerEnded(after: .milliseconds(100), at: now), pauses.count < 50 {
            pauses.append(pause)
            now += pause + .milliseconds(100)
        }
        #expect(pauses.prefix(4) == [.zero, .zero, .zero, .zero])
        #expect(
            pauses.dropFirst(4).prefix(6) == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        #expect(pauses.allSatisfy { $0 <= .seconds(10) })
        #expect(now >= .seconds(60) && now < .seconds(75))
    }

    @Test func `one that has worked ends a row`() {
        var policy = RestartPolicy()
        for second in 0..<6 { _ = policy.workerEnded(after: .milliseconds(1), at: .seconds(second)) }
        #expect(policy.isBackingOff)
        let verdicts = [
            policy.workerEnded(after: .seconds(10), at: .seconds(300)), policy.workerEnded(after: .milliseconds(1), at: .seconds(301)),
        ]
        #expect(verdicts == [.restart(after: .zero), .restart(after: .zero)])
    }
}
