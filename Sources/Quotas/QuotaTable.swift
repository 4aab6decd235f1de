import MetricFamilies
import Synchronization

/// Quota usage of callers in this process: one time for each caller, with a limit on the number of callers.
///
/// A caller at rest (with its whole burst left) is removed, which changes nothing for it. While the table is full,
/// unknown callers are refused. Removing a caller that is not at rest would permit it the whole burst again.
public final class QuotaTable: Sendable {
    private struct State {
        /// Time at which each caller is at rest; monotonic, in nanoseconds.
        var times = CallerTimes()
        var limit: Int
        /// Lower bound of the times: no caller is at rest before it.
        var nextRest: Int64 = .min
        /// Time of the last sweep for callers at rest.
        var sweptAt: Int64 = .min
    }

    private let state: Mutex<State>

    /// Least time between two sweeps, in nanoseconds, so that there are at most ten a second. A sweep visits every
    /// caller.
    private static let sweepInterval: Int64 = 100_000_000
    /// Least time between two sweeps for each caller in the table, in nanoseconds, so that sweeps take a small part of
    /// the time.
    private static let sweepIntervalOfOne: Int64 = 2_000

    /// - Parameter limit: most callers that are counted at the same time, under all quotas together.
    public init(limit: Int) {
        state = Mutex(State(limit: limit))
    }

    /// Sets the limit. A lower limit removes no callers; they leave as they come to rest.
    public func setLimit(_ limit: Int) {
        state.withLock { $0.limit = limit }
    }

    /// Number of callers in the table, including those at rest since the last sweep.
    public var count: Int { state.withLock { $0.times.count } }

    public var family: MetricFamily {
        .gauge("bearward_quota_callers", "Callers that quotas count in this process.", count)
    }

    // MARK: One quota

    /// Charges a request to one caller, the usual case.
    public func charge(_ charge: QuotaCharge, at now: Int64) -> QuotaVerdict {
        state.withLock { state in
            // If there is space for a new caller, known or not, one table lookup is enough.
            guard state.times.count < state.limit else { return Self.charge([charge], in: &state, at: now) }
            // A charge sets a time at least one interval ahead, so this stays a lower bound.
            state.nextRest = min(state.nextRest, now &+ charge.rate.interval)
            return state.times.change(charge.account) { Self.charge(charge, &$0, at: now) }
        }
    }

    private static func charge(_ charge: QuotaCharge, _ time: inout Int64?, at now: Int64) -> QuotaVerdict {
        switch charge.rate.step(from: time, at: now) {
        case .refused(let wait): return .exceeded(QuotaStanding(charge: 0, remaining: 0, wait: .nanoseconds(wait)))
        case .permitted(let next):
            time = next
            return .granted(standing(0, charge.rate, time: next, at: now))
        }
    }

    private static func standing(_ index: Int, _ rate: QuotaRate, time: Int64, at now: Int64) -> QuotaStanding {
        let remaining = rate.remaining(from: time, at: now)
        let wait = remaining > 0 ? time &- now : time &+ rate.interval &- now &- rate.capacity
        return QuotaStanding(
            charge: index, remaining: remaining, wait: .nanoseconds(wait), isLow: remaining <= rate.burst / 2)
    }

    // MARK: Several quotas

    /// Charges a request to all accounts, or to none.
    ///
    /// - Parameters:
    ///   - charges: the charges; never empty, with different accounts.
    ///   - now: monotonic time, in nanoseconds.
    public func charge(_ charges: [QuotaCharge], at now: Int64) -> QuotaVerdict {
        if charges.count == 1, let only = charges.first { return charge(only, at: now) }
        return state.withLock { Self.charge(charges, in: &$0, at: now) }
    }

    private static func charge(_ charges: [QuotaCharge], in state: inout State, at now: Int64) -> QuotaVerdict {
        var worst: (index: Int, wait: Int64)?
        var unknown = 0
        for (index, charge) in charges.enumerated() {
            let time = state.times.time(of: charge.account)
            if time == nil { unknown &+= 1 }
            guard case .refused(let wait) = charge.rate.step(from: time, at: now), wait > worst?.wait ?? 0 else {
                continue
            }
            worst = (index, wait)
        }
        if let worst {
            return .exceeded(QuotaStanding(charge: worst.index, remaining: 0, wait: .nanoseconds(worst.wait)))
        }
        guard unknown == 0 || makeRoom(for: unknown, in: &state, at: now) else { return .full }
        return .granted(take(charges, in: &state, at: now))
    }

    private static func take(_ charges: [QuotaCharge], in state: inout State, at now: Int64) -> QuotaStanding {
        var least = QuotaStanding(charge: 0, remaining: .max, wait: .zero)
        for (index, charge) in charges.enumerated() {
            guard case .permitted(let time) = charge.rate.step(from: state.times.time(of: charge.account), at: now)
            else { continue }
            state.times.change(charge.account) { $0 = time }
            let standing = standing(index, charge.rate, time: time, at: now)
            if standing.remaining < least.remaining { least = standing }
            state.nextRest = min(state.nextRest, time)
        }
        return least
    }

    // MARK: Callers at rest

    private static func makeRoom(for count: Int, in state: inout State, at now: Int64) -> Bool {
        if state.times.count &+ count <= state.limit { return true }
        sweep(&state, at: now)
        return state.times.count &+ count <= state.limit
    }

    /// Removes the callers that are at rest. Call it regularly, so that a process with little traffic frees their
    /// memory.
    public func forgetResting(at now: Int64) {
        state.withLock { Self.sweep(&$0, at: now) }
    }

    private static func sweep(_ state: inout State, at now: Int64) {
        let interval = max(sweepInterval, Int64(state.times.count) &* sweepIntervalOfOne)
        guard now >= state.nextRest, state.sweptAt == .min || now &- state.sweptAt >= interval else { return }
        var next = Int64.max
        state.times.keep { time in
            guard time > now else { return false }
            next = min(next, time)
            return true
        }
        state.nextRest = next
        state.sweptAt = now
    }
}
