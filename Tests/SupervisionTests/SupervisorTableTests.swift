import Testing

@testable import Supervision

/// Every event in every situation, including timeouts: an event that is not in the row is ignored.
struct SupervisorTableTests {
    /// Situation of a supervisor at second 100. The first worker is 100, its successor 101; 102 is started when 100 has
    /// crashed.
    enum Situation: CaseIterable {
        case nobody, starting, serving, upgradeAsked, successorStarts, handingOver, handedOver, silent, diedInUpgrade,
            bothStart,
            respawning,
            successorDied, ending, endingBoth, endingKilled

        func state() -> SupervisorState {
            var state = SupervisorState(terminateSignal: 15, limits: SupervisorTableTests.limits)
            prepare(&state)
            return state
        }

        private func prepare(_ state: inout SupervisorState) {
            let now = SupervisorTableTests.now
            switch self {
            case .nobody: break
            case .starting: state.started(100, at: now)
            case .serving:
                state.started(100, at: .zero)
                _ = state.becameReady(100, at: .seconds(1))
            case .upgradeAsked:
                Situation.serving.prepare(&state)
                _ = state.signalled(.upgrade, at: now)
            case .successorStarts: prepare(&state, startingAt: now)
            case .handingOver:
                prepare(&state, startingAt: now)
                _ = state.becameReady(101, at: now)
            case .handedOver:
                Situation.handingOver.prepare(&state)
                _ = state.stoppedAccepting(100)
            case .silent:
                prepare(&state, startingAt: .seconds(90))
                _ = state.becameReady(101, at: .seconds(95))
                _ = state.timePassed(at: now)
            case .diedInUpgrade:
                prepare(&state, startingAt: now)
                _ = state.ended(100, status: nil, "died", at: now)
            case .bothStart:
                Situation.diedInUpgrade.prepare(&state)
                state.started(102, at: now)
            case .respawning:
                Situation.serving.prepare(&state)
                _ = state.ended(100, status: nil, "died", at: now)
            case .successorDied:
                Situation.handingOver.prepare(&state)
                _ = state.ended(101, status: nil, "died", at: now)
            case .ending:
                Situation.serving.prepare(&state)
                _ = state.signalled(.terminate, at: now)
            case .endingBoth:
                Situation.handedOver.prepare(&state)
                _ = state.signalled(.terminate, at: now)
            case .endingKilled:
                Situation.serving.prepare(&state)
                _ = state.signalled(.terminate, at: .seconds(60))
                _ = state.timePassed(at: now)
            }
        }

        private func prepare(_ state: inout SupervisorState, startingAt time: Duration) {
            Situation.serving.prepare(&state)
            _ = state.signalled(.upgrade, at: time)
            state.started(101, at: time)
        }
    }

    enum Event: Hashable, CaseIterable {
        case ready(Int32), stopped(Int32), died(Int32), failed(Int32)
        case startFailed, terminate, passOn, upgrade
        /// Time advances to just before the next deadline, or to it.
        case early, late

        static let allCases: [Event] =
            [100, 101, 102].flatMap { [.ready($0), .stopped($0), .died($0), .failed($0)] } + [
                .startFailed, .terminate, .passOn, .upgrade, .early, .late,
            ]

        func happen(to state: inout SupervisorState) -> [SupervisorState.Action] {
            let now = SupervisorTableTests.now
            switch self {
            case .ready(let pid): return state.becameReady(pid, at: now)
            case .stopped(let pid): return state.stoppedAccepting(pid)
            case .died(let pid): return state.ended(pid, status: nil, "died", at: now)
            case .failed(let pid): return state.ended(pid, status: 78, "failed", at: now)
            case .startFailed: return state.startFailed(at: now)
            case .terminate: return state.signalled(.terminate, at: now)
            case .passOn: return state.signalled(.passOn(1), at: now)
            case .upgrade: return state.signalled(.upgrade, at: now)
            case .early: return state.timePassed(at: (state.deadline ?? .seconds(1_000_000)) - .milliseconds(1))
            case .late: return state.timePassed(at: state.deadline ?? .seconds(1_000_000))
            }
        }
    }

    typealias Row = [Event: [SupervisorState.Action]]

    static let limits = WorkerLimits(start: .seconds(60), end: .seconds(30))
    static let now = Duration.seconds(100)
    private static let lateness = "was not ready after 60000 ms and was killed"

    private static func replaced(_ pid: Int32, _ how: String, at time: Duration = now) -> [SupervisorState.Action] {
        [.report(.replaced(pid, how: how, after: .zero)), .start(at: time)]
    }

    private static let retried: [SupervisorState.Action] = [
        .report(.startRetried(after: .milliseconds(250))), .start(at: now + .milliseconds(250)),
    ]

    static func row(_ situation: Situation) -> Row {
        switch situation {
        case .nobody: [.startFailed: [.exit(70)], .terminate: [.tellStopping, .exit(0)]]
        case .starting:
            [
                .ready(100): [.release(100, isPredecessorSilent: false), .tellReady],
                .died(100): replaced(100, "died"), .failed(100): [.exit(78)],
                .terminate: [.tellStopping, .send(15, to: 100)], .passOn: [.send(1, to: 100)],
                .late: [.kill(100)] + replaced(100, lateness, at: .seconds(160)),
            ]
        case .serving:
            [
                .died(100): replaced(100, "died"), .failed(100): replaced(100, "failed"),
                .terminate: [.tellStopping, .send(15, to: 100)], .passOn: [.send(1, to: 100)],
                .upgrade: [.start(at: now)],
            ]
        case .upgradeAsked:
            [
                .died(100): replaced(100, "died"), .failed(100): replaced(100, "failed"),
                .startFailed: [.report(.upgradeFailed(cause: nil))],
                .terminate: [.tellStopping, .send(15, to: 100)], .passOn: [.send(1, to: 100)],
            ]
        case .successorStarts:
            [
                .ready(101): [.retire(100), .report(.tookOver(successor: 101, from: 100))],
                .died(100): replaced(100, "died"), .failed(100): replaced(100, "failed"),
                .died(101): [.report(.upgradeFailed(cause: "died"))],
                .failed(101): [.report(.upgradeFailed(cause: "failed"))],
                .terminate: [.tellStopping, .kill(101), .send(15, to: 100)],
                .passOn: [.send(1, to: 100), .send(1, to: 101)],
                .late: [.kill(101), .report(.upgradeFailed(cause: lateness))],
            ]
        case .handingOver:
            successorServes.merging([
                .stopped(100): [.release(101, isPredecessorSilent: false)],
                .died(100): [.release(101, isPredecessorSilent: false)],
                .failed(100): [.release(101, isPredecessorSilent: false)],
                .late: [.report(.silent(100, after: .seconds(5))), .release(101, isPredecessorSilent: true)],
            ]) { $1 }
        case .handedOver, .silent: successorServes.merging([.late: [.kill(100), .report(.overdue(100))]]) { $1 }
        case .diedInUpgrade:
            [
                .ready(101): [.release(101, isPredecessorSilent: false)],
                .died(101): [.report(.endedBesideAnother(101, how: "died"))],
                .failed(101): [.report(.endedBesideAnother(101, how: "failed"))],
                .startFailed: retried, .terminate: [.tellStopping, .kill(101)], .passOn: [.send(1, to: 101)],
                .late: [.kill(101), .report(.endedBesideAnother(101, how: lateness))],
            ]
        case .bothStart:
            [
                .ready(101): [.kill(102), .report(.outrun(102, by: 101)), .release(101, isPredecessorSilent: false)],
                .ready(102): [.kill(101), .report(.outrun(101, by: 102)), .release(102, isPredecessorSilent: false)],
                .died(101): [.report(.endedBesideAnother(101, how: "died"))],
                .failed(101): [.report(.endedBesideAnother(101, how: "failed"))],
                .died(102): replaced(102, "died"), .failed(102): replaced(102, "failed"),
                .terminate: [.tellStopping, .kill(101), .send(15, to: 102)],
                .passOn: [.send(1, to: 102), .send(1, to: 101)],
                .late: [.kill(101), .report(.endedBesideAnother(101, how: lateness)), .kill(102)]
                    + replaced(102, lateness, at: .seconds(160)),
            ]
        case .respawning: [.startFailed: retried, .terminate: [.tellStopping, .exit(0)]]
        case .successorDied:
            [.startFailed: retried, .terminate: [.tellStopping], .late: [.report(.silent(100, after: .seconds(5)))]]
        case .ending:
            [.died(100): [.exit(70)], .failed(100): [.exit(78)], .late: [.kill(100), .report(.overdue(100))]]
        case .endingBoth: [.late: [.kill(100), .report(.overdue(100)), .kill(101), .report(.overdue(101))]]
        case .endingKilled: [.died(100): [.exit(70)], .failed(100): [.exit(70)], .late: [.exit(70)]]
        }
    }

    /// Rows in which 101 has taken over.
    private static let successorServes: Row = [
        .died(101): replaced(101, "died"), .failed(101): replaced(101, "failed"),
        .terminate: [.tellStopping, .send(15, to: 101)], .passOn: [.send(1, to: 101)], .upgrade: [.start(at: now)],
    ]

    /// Situations in which a start is pending.
    private static let startsAreDue: Set<Situation> = [
        .nobody, .upgradeAsked, .diedInUpgrade, .respawning, .successorDied,
    ]

    @Test(arguments: Situation.allCases)
    func `each event in each situation leads to the actions of its table row, and every wait has an end`(
        _ situation: Situation
    ) {
        let row = Self.row(situation)
        let wants = situation.state().wantsWorker
        #expect(wants == Self.startsAreDue.contains(situation))
        for event in Event.allCases where event != .startFailed || wants {
            var state = situation.state()
            let actions = event.happen(to: &state)
            #expect(actions == row[event] ?? [], "\(event)")
            let deadline = state.deadline
            if state.isWaiting { #expect(deadline != nil, "\(event)") }
            if let deadline { #expect(deadline > Self.now, "\(event)") }
        }
    }

    @Test(arguments: startsAreDue) func `a newly started worker fills the vacant role`(
        _ situation: Situation
    ) {
        var state = situation.state()
        state.started(103, at: Self.now)
        let isWanted = state.wantsWorker
        #expect(!isWanted)
        let actions = state.becameReady(103, at: Self.now)
        switch situation {
        case .nobody: #expect(actions == [.release(103, isPredecessorSilent: false), .tellReady])
        case .upgradeAsked: #expect(actions == [.retire(100), .report(.tookOver(successor: 103, from: 100))])
        case .diedInUpgrade:
            #expect(actions == [.kill(101), .report(.outrun(101, by: 103)), .release(103, isPredecessorSilent: false)])
        // It waits for the message of the leaving worker, for the rest of five seconds.
        case .successorDied: #expect(actions == [])
        default: #expect(actions == [.release(103, isPredecessorSilent: false)])
        }
    }
}
