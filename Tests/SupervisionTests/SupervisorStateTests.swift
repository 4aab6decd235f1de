import Testing

@testable import Supervision

/// The supervisor's state machine. Signal 15 tells a worker to terminate.
struct SupervisorStateTests {
    private static let limits = WorkerLimits(start: .seconds(60), end: .seconds(30))

    /// A supervisor whose first worker, 100, has served.
    private static func running() -> SupervisorState {
        var state = SupervisorState(terminateSignal: 15, limits: limits)
        state.started(100, at: .zero)
        _ = state.becameReady(100, at: .zero)
        return state
    }

    private func check<Value: Equatable>(_ value: Value, _ expected: Value, at place: SourceLocation = #_sourceLocation)
    {
        #expect(value == expected, sourceLocation: place)
    }

    @Test func `the service manager is notified once that the gateway is ready`() {
        var state = SupervisorState(terminateSignal: 15, limits: Self.limits)
        check(state.wantsWorker, true)
        state.started(100, at: .zero)
        check(state.isWaiting && !state.wantsWorker, true)
        check(state.becameReady(100, at: .zero), [.release(100, isPredecessorSilent: false), .tellReady])
        _ = state.ended(100, status: nil, "was killed by signal 11", at: .seconds(1))
        state.started(101, at: .seconds(1))
        check(state.becameReady(101, at: .zero), [.release(101, isPredecessorSilent: false)])
    }

    @Test func `F33 a worker that crashes is replaced at once`() {
        var state = Self.running()
        let actions = state.ended(100, status: nil, "was killed by signal 11", at: .seconds(100))
        #expect(
            actions == [
                .report(.replaced(100, how: "was killed by signal 11", after: .zero)), .start(at: .seconds(100)),
            ])
        check(state.wantsWorker, true)
        check(state.restarts, 1)
    }

    @Test func `a worker that exits unasked is replaced too`() {
        var state = Self.running()
        let actions = state.ended(100, status: 0, "exited with status 0", at: .seconds(100))
        #expect(actions.contains(.start(at: .seconds(100))))
    }

    @Test(arguments: [78, 69, 70] as [Int32])
    func `an error at the start makes the supervisor exit with the worker's status`(
        _ status: Int32
    ) {
        var state = SupervisorState(terminateSignal: 15, limits: Self.limits)
        state.started(100, at: .zero)
        check(state.ended(100, status: status, "exited with status \(status)", at: .milliseconds(50)), [.exit(status)])
    }

    @Test func `a supervisor told to terminate terminates its worker, and exits with it`() {
        var state = Self.running()
        check(state.signalled(.terminate, at: .seconds(1)), [.tellStopping, .send(15, to: 100)])
        check(state.signalled(.terminate, at: .seconds(1)), [])
        check(state.wantsWorker, false)
        check(state.ended(100, status: 0, "exited with status 0", at: .seconds(2)), [.exit(0)])
    }

    @Test func `a supervisor told to terminate during a restart delay exits at once`() {
        var state = Self.running()
        _ = state.ended(100, status: nil, "was killed by signal 6", at: .seconds(1))
        check(state.signalled(.terminate, at: .seconds(1)), [.tellStopping, .exit(0)])
    }

    @Test func `an upgrade starts a new worker, and the old one leaves when the new one is ready`() {
        var state = Self.running()
        check(state.signalled(.upgrade, at: .seconds(5)), [.start(at: .seconds(5))])
        check(state.wantsWorker, true)
        state.started(101, at: .seconds(5))
        check(!state.wantsWorker && state.isWaiting, true)
        check(state.signalled(.passOn(1), at: .seconds(5)), [.send(1, to: 100), .send(1, to: 101)])
        check(state.becameReady(101, at: .zero), [.retire(100), .report(.tookOver(successor: 101, from: 100))])
        check(state.isWaiting, true)
        check(state.stoppedAccepting(100), [.release(101, isPredecessorSilent: false)])
        check(state.isWaiting, false)
        check(state.ended(100, status: 0, "exited with status 0", at: .seconds(9)), [])
        check(state.restarts, 0)
        check(state.signalled(.terminate, at: .seconds(10)), [.tellStopping, .send(15, to: 101)])
    }

    @Test func `a new program that does not start leaves the old worker running`() {
        var state = Self.running()
        _ = state.signalled(.upgrade, at: .seconds(5))
        state.started(101, at: .seconds(5))
        check(
            state.ended(101, status: 78, "exited with status 78", at: .seconds(5)),
            [.report(.upgradeFailed(cause: "exited with status 78"))])
        check(state.wantsWorker, false)
        check(state.signalled(.upgrade, at: .seconds(6)), [.start(at: .seconds(6))])
        check(state.startFailed(at: .seconds(6)), [.report(.upgradeFailed(cause: nil))])
    }

    @Test
    func `F47 a worker that crashes during an upgrade is replaced at once, and the first ready worker serves`() {
        var state = Self.running()
        _ = state.signalled(.upgrade, at: .seconds(5))
        state.started(101, at: .seconds(5))
        let actions = state.ended(100, status: nil, "was killed by signal 11", at: .seconds(6))
        check(
            actions, [.report(.replaced(100, how: "was killed by signal 11", after: .zero)), .start(at: .seconds(6))])
        check(state.wantsWorker, true)
        state.started(102, at: .seconds(6))
        check(
            state.becameReady(102, at: .seconds(7)),
            [.kill(101), .report(.outrun(101, by: 102)), .release(102, isPredecessorSilent: false)])
        // It had reported this before it was killed.
        check(state.becameReady(101, at: .seconds(7)), [])
        check(state.ended(101, status: nil, "was killed by signal 9", at: .seconds(7)), [])
        check(state.signalled(.upgrade, at: .seconds(8)), [.start(at: .seconds(8))])
    }

    @Test func `F47 workers that hang are killed at their deadline and replaced, for as long as it takes`() {
        var state = Self.running()
        _ = state.signalled(.upgrade, at: .seconds(5))
        state.started(101, at: .seconds(5))
        _ = state.ended(100, status: nil, "was killed by signal 11", at: .seconds(6))
        state.started(102, at: .seconds(6))
        let late = "was not ready after 60000 ms and was killed"
        check(state.deadline, .seconds(65))
        check(state.timePassed(at: .seconds(65)), [.kill(101), .report(.endedBesideAnother(101, how: late))])
        check(state.deadline, .seconds(66))
        check(
            state.timePassed(at: .seconds(66)),
            [.kill(102), .report(.replaced(102, how: late, after: .zero)), .start(at: .seconds(66))])
        var (pid, now) = (Int32(103), Duration.seconds(66))
        for _ in 0..<100 {
            state.started(pid, at: now)
            guard let deadline = state.deadline else { return #expect(Bool(false), "a start without an end") }
            guard case .start(let next) = state.timePassed(at: deadline).last else {
                return #expect(Bool(false), "given up")
            }
            #expect(next - now <= .seconds(70))
            (pid, now) = (pid + 1, next)
        }
    }

    @Test func `F47 an upgrade requested while another hangs begins when that one has failed`() {
        var state = Self.running()
        _ = state.signalled(.upgrade, at: .seconds(5))
        state.started(101, at: .seconds(5))
        check(state.signalled(.upgrade, at: .seconds(6)), [])
        check(
            state.timePassed(at: .seconds(65)),
            [
                .kill(101), .report(.upgradeFailed(cause: "was not ready after 60000 ms and was killed")),
                .start(at: .seconds(65)),
            ])
        check(state.signalled(.upgrade, at: .seconds(65)), [])
        check(state.startFailed(at: .seconds(65)), [.report(.upgradeFailed(cause: nil)), .start(at: .seconds(65))])
        check(state.startFailed(at: .seconds(65)), [.report(.upgradeFailed(cause: nil))])
    }

    @Test func `F47 a successor is released when no predecessor may accept connections any more`() {
        var state = Self.running()
        _ = state.signalled(.upgrade, at: .seconds(5))
        state.started(101, at: .seconds(5))
        _ = state.becameReady(101, at: .seconds(6))
        // Before 100 has reported anything.
        _ = state.signalled(.upgrade, at: .seconds(6))
        state.started(102, at: .seconds(6))
        check(state.becameReady(102, at: .seconds(7)), [.retire(101), .report(.tookOver(successor: 102, from: 101))])
        check(state.stoppedAccepting(101), [])
        check(
            state.timePassed(at: .seconds(11)),
            [.report(.silent(100, after: .seconds(5))), .release(102, isPredecessorSilent: true)])
        check(state.stoppedAccepting(100), [])
    }

    @Test func `F47 workers report their time limits, which apply to the next worker until it reports its own`() {
        var state = Self.running()
        state.stated(WorkerLimits(start: .seconds(120), end: .seconds(600)), by: 100)
        state.stated(WorkerLimits(start: .seconds(1), end: .seconds(1)), by: 999)
        _ = state.signalled(.upgrade, at: .seconds(5))
        state.started(101, at: .seconds(5))
        check(state.deadline, .seconds(125))
        state.stated(WorkerLimits(start: .seconds(300), end: .seconds(1)), by: 101)
        check(state.deadline, .seconds(305))
        _ = state.becameReady(101, at: .seconds(10))
        _ = state.stoppedAccepting(100)
        check(state.deadline, .seconds(620))
        check(state.signalled(.terminate, at: .seconds(20)), [.tellStopping, .send(15, to: 101)])
        check(state.deadline, .seconds(31))
    }

    @Test func `F47 a terminating supervisor does not wait for a worker that cannot be killed`() {
        var state = Self.running()
        _ = state.signalled(.terminate, at: .seconds(1))
        check(state.timePassed(at: .seconds(41)), [.kill(100), .report(.overdue(100))])
        check(state.deadline, .seconds(46))
        check(state.timePassed(at: .seconds(46)), [.exit(70)])
    }

    @Test func `F47 a first worker that hangs is replaced, and given up after a minute`() {
        var state = SupervisorState(terminateSignal: 15, limits: Self.limits)
        let late = "was not ready after 60000 ms and was killed"
        state.started(100, at: .zero)
        check(
            state.timePassed(at: .seconds(60)),
            [.kill(100), .report(.replaced(100, how: late, after: .zero)), .start(at: .seconds(60))])
        state.started(101, at: .seconds(60))
        check(state.timePassed(at: .seconds(120)), [.kill(101), .report(.givenUp(101, how: late)), .exit(70)])
    }

    @Test func `a worker that crashes while it leaves still hands over to its successor`() {
        var state = Self.running()
        _ = state.signalled(.upgrade, at: .seconds(5))
        state.started(101, at: .seconds(5))
        _ = state.becameReady(101, at: .zero)
        check(
            state.ended(100, status: nil, "was killed by signal 9", at: .seconds(6)),
            [.release(101, isPredecessorSilent: false)])
        check(state.stoppedAccepting(100), [])
    }

    @Test func `an upgrade requested while the first worker starts begins when that worker is ready`() {
        var state = SupervisorState(terminateSignal: 15, limits: Self.limits)
        state.started(100, at: .zero)
        check(state.signalled(.upgrade, at: .zero), [])
        check(
            state.becameReady(100, at: .zero),
            [.release(100, isPredecessorSilent: false), .tellReady, .start(at: .zero)])
        state.started(101, at: .zero)
        check(state.signalled(.upgrade, at: .zero), [])
        check(
            state.becameReady(101, at: .zero),
            [.retire(100), .report(.tookOver(successor: 101, from: 100)), .start(at: .zero)])
        state.started(102, at: .zero)
        check(state.becameReady(102, at: .zero), [.retire(101), .report(.tookOver(successor: 102, from: 101))])
        check(state.signalled(.terminate, at: .zero), [.tellStopping, .send(15, to: 102)])
        check(state.signalled(.upgrade, at: .zero), [])
    }

    @Test func `F35 after a worker has served, workers that crash at once are replaced without end`() {
        var state = Self.running()
        var now = Duration.seconds(1000)
        for number in 0..<1000 {
            let pid = Int32(100 + number)
            // By a signal, or by a status that would have been final at the start.
            let actions = state.ended(pid, status: number.isMultiple(of: 2) ? nil : 78, "ended", at: now)
            guard case .start(let time) = actions.last else {
                return #expect(Bool(false), "\(actions) after \(number) ends")
            }
            #expect(time - now <= .seconds(10))
            now = time
            state.started(pid + 1, at: now)
        }
        check(state.restarts, 1000)
    }

    @Test func `F35 before any worker has served, workers that crash at once are given up after a minute`() {
        var state = SupervisorState(terminateSignal: 15, limits: Self.limits)
        var (now, pid) = (Duration.zero, Int32(100))
        while now < .seconds(120) {
            state.started(pid, at: now)
            let actions = state.ended(pid, status: nil, "was killed by signal 11", at: now)
            guard case .start(let time) = actions.last else {
                check(actions, [.report(.givenUp(pid, how: "was killed by signal 11")), .exit(70)])
                return check(now >= .seconds(60), true)
            }
            (now, pid) = (time, pid + 1)
        }
        #expect(Bool(false), "not given up after \(now)")
    }

    @Test func `a worker that cannot be started is retried if one has served, otherwise the supervisor exits`() {
        var state = Self.running()
        _ = state.ended(100, status: nil, "was killed by signal 9", at: .seconds(50))
        check(
            state.startFailed(at: .seconds(50)),
            [.report(.startRetried(after: .milliseconds(250))), .start(at: .milliseconds(50_250))])
        check(state.wantsWorker, true)
        var new = SupervisorState(terminateSignal: 15, limits: Self.limits)
        check(new.startFailed(at: .zero), [.exit(70)])
    }

    @Test func `a new worker that cannot be started is retried if the old one is gone by then`() {
        var state = Self.running()
        _ = state.signalled(.upgrade, at: .seconds(50))
        _ = state.ended(100, status: nil, "was killed by signal 9", at: .seconds(50))
        check(
            state.startFailed(at: .seconds(50)),
            [.report(.startRetried(after: .milliseconds(250))), .start(at: .milliseconds(50_250))])
        check(state.wantsWorker, true)
        state.started(101, at: .seconds(51))
        check(state.becameReady(101, at: .zero), [.release(101, isPredecessorSilent: false)])
    }
}
