import Logging
import Logs
import NIOCore
import NameLookup
import Synchronization

/// Finds the addresses of upstreams' names for all event loops of a process, and never blocks one of them.
///
/// A slow name delays only requests to that name. Each name has at most one lookup at a time.
final class NameResolver: Sendable {
    /// Starts a lookup without waiting for it. The completion is called once, on any thread, possibly before this
    /// returns.
    typealias Lookup = @Sendable (_ name: String, _ completion: @escaping @Sendable (NameAnswer) -> Void) -> Void

    /// Identifies a waiting request.
    struct Waiter: Hashable {
        let name: String
        fileprivate let number: UInt64
    }

    private struct State {
        var table: NameTable
        var waiting: [String: [UInt64: EventLoopPromise<[SocketAddress]>]] = [:]
        var waiters: UInt64 = 0
    }

    private let state: Mutex<State>
    private let lookUp: Lookup
    private let logger: Logger

    /// - Parameters:
    ///   - saved: answers that the previous process saved.
    ///   - uptime: current time since the boot in milliseconds, as in `saved`.
    ///   - lookUp: the lookup function. The default asks the system's name servers; tests pass another.
    init(
        logger: Logger, restoring saved: SavedNames = SavedNames(), at uptime: Int64 = 0,
        lookUp: @escaping Lookup = NameServers().lookUp
    ) {
        let now = EventLoopClock.now()
        state = Mutex(State(table: NameTable(restoring: saved.answers.mapValues { $0.answer(at: uptime, now: now) })))
        self.logger = logger
        self.lookUp = lookUp
    }

    /// Takes over the host names of a new configuration.
    ///
    /// - Parameter plain: those of them to which requests go without TLS.
    func keep(_ names: Set<String>, plain: Set<String> = []) {
        state.withLock { $0.table.keep(names, plain: plain) }
    }

    /// Answers that the next process may need.
    ///
    /// - Parameter uptime: current time since the boot in milliseconds, as in the result.
    func saved(at uptime: Int64) -> SavedNames {
        let now = EventLoopClock.now()
        return SavedNames(
            state.withLock { $0.table.answers(at: now) }.mapValues { SavedNames.Answer($0, at: uptime, now: now) })
    }

    /// Addresses of a name: the known ones, or those that the running lookup finds.
    ///
    /// - Returns: the addresses, which fail with ``UnknownName`` if there are none; and the identity of the wait. The
    ///   identity is nil if there is nothing to wait for.
    func addresses(of name: String, on eventLoop: any EventLoop) -> (EventLoopFuture<[SocketAddress]>, Waiter?) {
        let now = EventLoopClock.now()
        let promise = eventLoop.makePromise(of: [SocketAddress].self)
        let (answer, startsLookup, waiter) = state.withLock { state in
            let (answer, startsLookup) = state.table.ask(for: name, at: now)
            guard case .pending = answer else { return (answer, startsLookup, Waiter?.none) }
            state.waiters &+= 1
            state.waiting[name, default: [:]][state.waiters] = promise
            return (answer, startsLookup, Waiter(name: name, number: state.waiters))
        }
        promise.end(with: answer)
        if startsLookup { start(name) }
        return (promise.futureResult, waiter)
    }

    /// Current addresses of a name, for a caller that follows them. The first call starts a lookup.
    ///
    /// The generation changes whenever the set of addresses does, and is 0 before there is one. A name is kept up to
    /// date while the configuration has it.
    func current(_ name: String) -> (addresses: [SocketAddress], generation: UInt64) {
        let now = EventLoopClock.now()
        let (addresses, generation, startsLookup) = state.withLock { $0.table.current(name, at: now) }
        if startsLookup { start(name) }
        return (addresses, generation)
    }

    /// Ends a request's wait for addresses.
    func cancel(_ waiter: Waiter) {
        let promise = state.withLock { $0.waiting[waiter.name]?.removeValue(forKey: waiter.number) }
        promise?.fail(CancellationError())
    }

    /// Called when none of a name's addresses accepted a connection. Looks the name up again unless that was just done.
    func connectFailed(to name: String) {
        let now = EventLoopClock.now()
        if state.withLock({ $0.table.connectFailed(to: name, at: now) }) { start(name) }
    }

    /// Looks up names again whose answers are old. Called a few times a second.
    func refresh(at now: Int64) {
        review(at: now)
        for name in state.withLock({ $0.table.startRefreshes(at: now) }) { start(name) }
    }

    private func review(at now: Int64) {
        let reviewed = state.withLock { state in
            state.table.review(at: now).map { name, answer, change in
                let isWanted = answer != .unknown
                return (name, answer, change, isWanted ? state.waiting.removeValue(forKey: name) ?? [:] : [:])
            }
        }
        for (name, answer, change, waiting) in reviewed {
            log(change, of: name)
            for promise in waiting.values { promise.end(with: answer) }
        }
    }

    private func start(_ name: String) {
        lookUp(name) { answer in self.end(name, answer) }
    }

    private func end(_ name: String, _ found: NameAnswer) {
        let now = EventLoopClock.now()
        let (answer, change, waiting) = state.withLock { state in
            let (answer, change) = state.table.lookedUp(name, found, at: now)
            return (answer, change, state.waiting.removeValue(forKey: name) ?? [:])
        }
        log(change, of: name)
        for promise in waiting.values { promise.end(with: answer) }
    }

    private func log(_ change: NameTable.Change?, of name: String) {
        switch change {
        case .failing(let cause):
            logger.warning("An upstream's name cannot be resolved", [.name: .text(name), .cause: .text(cause)])
        case .recovered: logger.notice("An upstream's name can be resolved again", [.name: .text(name)])
        case .withdrawn:
            logger.warning(
                "An upstream's name no longer exists, so its last addresses are dropped", [.name: .text(name)])
        case .restored(let age):
            logger.warning(
                "An upstream's name cannot be resolved, so the previous process's addresses are used",
                [.name: .text(name), .age: .number(Int(age.components.seconds))])
        case .outdated:
            logger.warning(
                "An upstream's name cannot be resolved, and the previous process's addresses are too old",
                [.name: .text(name)])
        case nil: break
        }
    }
}

extension SavedNames.Answer {
    /// Converts an answer of the table, with monotonic time, into one to be saved, with time since the boot.
    ///
    /// - Parameters:
    ///   - uptime: current time since the boot, in milliseconds.
    ///   - now: current time, monotonic, in nanoseconds.
    fileprivate init(_ answer: SavedAnswer, at uptime: Int64, now: Int64) {
        self.init(answer.addresses, learntAt: max(0, uptime &- (now &- answer.learntAt) / 1_000_000))
    }

    fileprivate func answer(at uptime: Int64, now: Int64) -> SavedAnswer {
        // Clamped: an answer that is too old for any use may be of any age.
        let age = min(max(uptime &- learntAt, 0), 2 &* SavedNames.longestAge.wholeMilliseconds)
        return SavedAnswer(addresses: addresses, learntAt: now &- age &* 1_000_000)
    }
}

/// Error if a name has no known address.
struct UnknownName: Error {}

extension EventLoopPromise<[SocketAddress]> {
    fileprivate func end(with answer: NameTable.Answer) {
        switch answer {
        case .addresses(let addresses): succeed(addresses)
        case .unknown: fail(UnknownName())
        case .pending: break
        }
    }
}
