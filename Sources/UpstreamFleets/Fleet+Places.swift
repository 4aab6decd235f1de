import ProxySettings

/// Bounds on the requests that a target has at once. Idle connections take slots too, so that HTTP/1.1 connections are
/// bounded as well.
///
/// If idle connections take all other slots, a request gets the slot of one of them. If its own event loop has an idle
/// connection, it uses or closes that one. Otherwise it waits until another loop has closed one. So there is never a
/// connection too many. Not counted: health checks, HTTP/2 connections, and connections that are being closed.
extension Fleet {
    // MARK: Requests

    /// Decides what happens to a request. If it gets a target, it is in flight there from now on.
    ///
    /// - Parameters:
    ///   - key, tried: as for ``choose(key:avoiding:at:)``.
    ///   - loop: number of the request's event loop, from 0.
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
        // Requests that came before go first.
        let ticket = queue.append(key: key, avoiding: tried, on: loop)
        serveWaiting(at: now)
        if let choice = queue.takeAdmission(of: ticket) { return .target(choice) }
        guard queue.waiters.count <= bound.waiting else {
            _ = queue.remove(ticket)
            return .full
        }
        return .wait(ticket)
    }

    /// Ends a request's wait. Returns false if it already has its slot or was refused, and is about to be notified.
    public mutating func cancel(_ ticket: FleetTicket) -> Bool { queue.remove(ticket) }

    /// Number of requests that wait for a slot.
    public var waitingCount: Int { queue.waiters.count }

    /// True if an event may have changed something for waiting requests.
    public var isAwaited: Bool { !queue.waiters.isEmpty || !queue.calls.isEmpty }

    /// Notifications for waiting requests. The caller collects them after every event.
    public mutating func takeCalls(at now: Int64) -> [FleetCall] {
        serveWaiting(at: now)
        return queue.takeCalls()
    }

    /// Gives free slots to waiting requests, in their order.
    private mutating func serveWaiting(at now: Int64) {
        var index = 0
        while index < queue.waiters.count {
            guard isServable(avoiding: TargetSet()) else { return queue.refuseAll() }
            let waiter = queue.waiters[index]
            if let choice = pick(key: waiter.key, avoiding: waiter.tried, on: waiter.loop, at: now) {
                queue.admit(at: index, choice)
            } else {
                // This request may go to any target. If it gets none, no later request does.
                guard !waiter.tried.isEmpty else { return }
                index &+= 1
            }
        }
    }

    /// Returns true if a target may take requests, now or when it has a free slot.
    private func isServable(avoiding tried: TargetSet) -> Bool {
        !eligible.isEmpty || targets.indices.contains { mayProbe($0, avoiding: tried, at: .max) }
    }

    // MARK: Places

    func hasRoom(_ index: Int) -> Bool {
        mostRequests.map { targets[index].inFlight < $0 } ?? true
    }

    /// Number of the event loop whose idle connection gives its slot to a request that was just added to the target.
    /// Nil if the target has a free slot beside its idle connections.
    mutating func replaceIdle(at index: Int, for loop: Int) -> Int? {
        guard let mostRequests, targets[index].inFlight &+ idle[index].placeCount > mostRequests else { return nil }
        return idle[index].promise(for: loop)
    }

    /// Handles the use or closing of idle connections by the loop that had to, so that a request has the slot of one. A
    /// count of 0 means that there was none any more, or that the request has left.
    public mutating func idleReplaced(_ choice: FleetChoice, ended count: Int) {
        guard let loop = choice.replacedOn, idle.indices.contains(choice.target) else { return }
        idle[choice.target].endPromise(count, on: loop)
    }

    /// Records that a connection to a target is idle from now on. Its request is about to be released.
    public mutating func idleBegan(at index: Int, on loop: Int) {
        guard idle.indices.contains(index) else { return }
        idle[index].add(on: loop)
    }

    /// Records that idle connections were used or closed.
    public mutating func idleEnded(_ count: Int, at index: Int, on loop: Int) {
        guard idle.indices.contains(index) else { return }
        idle[index].remove(count, on: loop)
    }
}
