import JOSE
import KeySets
import RequestAuthorization
import TestSupport
import TokenVerification

/// One gateway: its authorizer, the state machine of its key set, and its requests.
///
/// As in `RemoteKeySet` and `RequestExchange`, without sockets, tasks and clocks: a request is judged, waits for the
/// key set if it must, and is judged once more.
final class KeyNode {
    /// Requests of one kind.
    struct Traffic {
        let kind: TrafficKind
        let arrivals: Arrivals
        let request: AuthorizationRequest
        /// Requests judged or counted so far.
        var counted: Int64 = 0
        /// Outcome of the next request, until the state changes.
        var fate = Fate.waits
    }

    let authorizer: RequestAuthorizer
    let store: KeySetStore
    var lifecycle: KeySetLifecycle
    var traffic: [Traffic] = []
    /// Time at which the state machine wants to be woken. Nil if never.
    var wakeUpAt: Int64?
    /// Fetches that are running and were not given up.
    var fetches: Set<KeySetLifecycle.FetchNumber> = []
    var tallies: [TrafficKind: Tally] = [:]
    /// Time spans whose last request had another outcome than the first. There must be none.
    private(set) var unexplained = 0
    private var waiting: [KeySetLifecycle.WaiterID: Int] = [:]
    private var lastWaiter: KeySetLifecycle.WaiterID = 0
    /// Outcome of requests of a kind that got the same answer, until the state changes.
    private var told: [Told: Fate] = [:]

    private struct Told: Hashable {
        let index: Int
        let answer: KeyAnswer
    }
    /// Maximum number of requests that wait for keys at a time.
    let waitingLimit = 1024

    init(_ configuration: KeySetConfiguration) throws {
        lifecycle = KeySetLifecycle(configuration)
        store = KeySetStore(lifecycle.snapshot)
        authorizer = try SampleGateway.authorizer(store)
    }

    var hasRoomToWait: Bool { waiting.count < waitingLimit }

    // MARK: Requests

    func fate(of request: AuthorizationRequest, after answer: KeyAnswer? = nil, at time: Int64) -> Fate {
        var request = request
        request.answer = answer.map { .keys($0) }
        return Fate(authorizer.authorize(&request, at: VirtualTime.date(time)))
    }

    /// Counts all requests since the last change of the state: all have the same outcome, because nothing they depend
    /// on changed.
    func count(until now: Int64) {
        for index in traffic.indices { count(index, until: now) }
    }

    private func count(_ index: Int, until now: Int64) {
        let all = traffic[index].arrivals.count(before: now)
        let new = all - traffic[index].counted
        guard new > 0, let last = traffic[index].arrivals.time(of: all - 1) else { return }
        // Waiting requests were judged singly, until no more could wait.
        if fate(of: traffic[index].request, at: last) != traffic[index].fate { unexplained += 1 }
        if traffic[index].fate == .waits, hasRoomToWait { unexplained += 1 }
        tallies[traffic[index].kind, default: Tally()].note(traffic[index].fate, new, last: last)
        traffic[index].counted = all
    }

    /// Judges the outcome of requests from now on.
    func judgeAnew(at now: Int64) {
        told = [:]
        for index in traffic.indices { traffic[index].fate = fate(of: traffic[index].request, at: now) }
    }

    /// Receives a single request.
    ///
    /// - Parameter isJudged: true if it is judged although its outcome is known.
    func receive(_ index: Int, keyID: String, isJudged: Bool, at now: Int64) -> [KeySetLifecycle.Action] {
        let kind = traffic[index].kind
        let fate = isJudged ? fate(of: traffic[index].request, at: now) : traffic[index].fate
        guard fate == .waits else {
            tallies[kind, default: Tally()].note(fate, last: now)
            return []
        }
        guard hasRoomToWait else {
            tallies[kind, default: Tally()].note(.unavailable, last: now)
            return []
        }
        lastWaiter += 1
        waiting[lastWaiter] = index
        return lifecycle.requestNeedsKey(keyID, waiter: lastWaiter, at: VirtualTime.moment(now))
    }

    /// Judges waiting requests once more, as the gateway does: once for all requests of a kind with the same answer.
    func answer(_ waiters: [KeySetLifecycle.WaiterID], _ answer: KeyAnswer, at now: Int64) {
        var counts: [Int: Int64] = [:]
        for waiter in waiters {
            if let index = waiting.removeValue(forKey: waiter) { counts[index, default: 0] += 1 }
        }
        for (index, count) in counts {
            let known = told[Told(index: index, answer: answer)]
            let fate = known ?? fate(of: traffic[index].request, after: answer, at: now)
            told[Told(index: index, answer: answer)] = fate
            tallies[traffic[index].kind, default: Tally()].note(fate, count, last: now)
        }
    }
}

/// Source of the requests.
enum TrafficKind: Hashable {
    /// Tokens signed with the first key.
    case usual
    /// Tokens signed with the key that the issuer rotates to.
    case rotated
    /// Tokens with key IDs that do not exist.
    case stray
}
