import ProxySettings

/// How many requests a target has at once. Idle connections take places too, so that HTTP/1.1 connections are bounded
/// as well.
///
/// A request that finds all other places taken by idle connections gets that of one of them. If its own event loop has
/// one, it uses it or closes it; else it waits for the moment that another loop takes to close one. So there is never a
/// connection too many. Not counted: health checks, connections of HTTP/2, and connections that are being closed.
extension Fleet {
    // MARK: Requests

    /// What becomes of a request; with a target, it is in flight there from now on.
    ///
    /// - Parameters:
    ///   - key, tried: as for ``choose(key:avoiding:at:)``.
    ///   - loop: the number of its event loop, from 0.
    public mutating func ask(key: UInt64? = nil, avoiding tried: TargetSet = TargetSet(), on loop: Int, at now: Int64)
        -> FleetAnswer
    {
        guard mostRequests != nil, let bound = settings.connections else {
            return choose(key: key, avoiding: tried, at: now).map(FleetAnswer.target) ?? .unavailable
        }
        if tried.isEmpty { budget.noteRequest(at: now) }
        guard isServable(avoiding: tried) else { return .unavailable }
        if queue.waiters.isEmpty, let choice = pick(key: key, avoiding: tried, on: loop, at: now) {
            return .target(choice)
        }
        // Whoever came before goes first.
        let ticket = queue.append(key: key, avoiding: tried, on: loop)
        serveWaiting(at: now)
        if let choice = queue.takeAdmission(of: ticket) { return .target(choice) }
        guard queue.waiters.count <= bound.waiting else {
            _ = queue.remove(ticket)
            return .full
        }
        return .wait(ticket)
    }

    /// A request waits no longer; false: it has its place, or was refused, and is about to hear of it.
    public mutating func cancel(_ ticket: FleetTicket) -> Bool { queue.remove(ticket) }

    /// How many requests wait.
    public var waitingCount: Int { queue.waiters.count }

    /// Whether an event may have brought something for requests that wait.
    public var isAwaited: Bool { !queue.waiters.isEmpty || !queue.calls.isEmpty }

    /// What to tell requests that wait, after any event.
    public mutating func takeCalls(at now: Int64) -> [FleetCall] {
        serveWaiting(at: now)
        return queue.takeCalls()
    }

    /// Gives places to those who wait, in their order, as far as there are any.
    private mutating func serveWaiting(at now: Int64) {
        var index = 0
        while index < queue.waiters.count {
            guard isServable(avoiding: TargetSet()) else { return queue.refuseAll() }
            let waiter = queue.waiters[index]
            if let choice = pick(key: waiter.key, avoiding: waiter.tried, on: waiter.loop, at: now) {
                queue.admit(at: index, choice)
            } else {
                // Whoever comes after one that any target may have can have no more than it.
                guard !waiter.tried.isEmpty else { return }
                index &+= 1
            }
        }
    }

    /// Whether a target may take requests, now or when it has room.
    private func isServable(avoiding tried: TargetSet) -> Bool {
        !eligible.isEmpty || targets.indices.contains { mayProbe($0, avoiding: tried, at: .max) }
    }

    // MARK: Places

    func hasRoom(_ index: Int) -> Bool {
        mostRequests.map { targets[index].inFlight < $0 } ?? true
    }

    /// A request was just added to a target: the loop whose idle connection makes room for it; nil: there is room
    /// beside them.
    mutating func replaceIdle(at index: Int, for loop: Int) -> Int? {
        guard let mostRequests, targets[index].inFlight &+ idle[index].placeCount > mostRequests else { return nil }
        return idle[index].promise(for: loop)
    }

    /// Idle connections were used or closed by the loop that had to, so that a request has the place of one; none:
    /// there was none any more, or the request has left.
    public mutating func idleReplaced(_ choice: FleetChoice, ended count: Int) {
        guard let loop = choice.replacedOn, idle.indices.contains(choice.target) else { return }
        idle[choice.target].endPromise(count, on: loop)
    }

    /// A connection to a target is idle from now on; its request is about to be released.
    public mutating func idleBegan(at index: Int, on loop: Int) {
        guard idle.indices.contains(index) else { return }
        idle[index].add(on: loop)
    }

    /// Idle connections were used or closed.
    public mutating func idleEnded(_ count: Int, at index: Int, on loop: Int) {
        guard idle.indices.contains(index) else { return }
        idle[index].remove(count, on: loop)
    }
}
