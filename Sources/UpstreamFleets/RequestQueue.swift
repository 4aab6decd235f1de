/// Identity of a request that waits for a slot at a target.
public struct FleetTicket: Sendable, Hashable {
    let number: UInt64
}

/// Decision of a fleet about a request.
public enum FleetAnswer: Sendable, Hashable {
    case target(FleetChoice)
    /// Every target that may take the request is full. A ``FleetCall`` will notify it.
    case wait(FleetTicket)
    /// Queue of waiting requests is full.
    case full
    /// No target can take the request.
    case unavailable
}

/// Notification for a request that waits.
public enum FleetCall: Sendable, Hashable {
    /// The request has its slot.
    case admit(FleetTicket, FleetChoice)
    /// No target can take requests any more.
    case refuse(FleetTicket)
}

/// Queue of waiting requests, first come, first served.
struct RequestQueue: Sendable {
    struct Waiter: Sendable {
        let ticket: FleetTicket
        let key: UInt64?
        let tried: TargetSet
        /// The event loop of the request.
        let loop: Int
    }

    /// Waiting requests, in the order of their tickets.
    private(set) var waiters: [Waiter] = []
    /// Notifications that were not collected yet.
    private(set) var calls: [FleetCall] = []
    private var lastNumber: UInt64 = 0

    mutating func append(key: UInt64?, avoiding tried: TargetSet, on loop: Int) -> FleetTicket {
        lastNumber &+= 1
        let ticket = FleetTicket(number: lastNumber)
        waiters.append(Waiter(ticket: ticket, key: key, tried: tried, loop: loop))
        return ticket
    }

    /// Removes a waiting request, and queues the notification that it has a slot.
    ///
    /// - Parameter index: must be in bounds.
    mutating func admit(at index: Int, _ choice: FleetChoice) {
        calls.append(.admit(waiters.remove(at: index).ticket, choice))
    }

    mutating func refuseAll() {
        calls += waiters.map { .refuse($0.ticket) }
        waiters.removeAll()
    }

    /// Removes a waiting request. Returns false if it does not wait any more.
    mutating func remove(_ ticket: FleetTicket) -> Bool {
        var (low, high) = (0, waiters.count)
        while low < high {
            let middle = (low &+ high) / 2
            if waiters[middle].ticket.number < ticket.number { low = middle &+ 1 } else { high = middle }
        }
        guard low < waiters.count, waiters[low].ticket == ticket else { return false }
        waiters.remove(at: low)
        return true
    }

    /// Takes the choice for a request that was just admitted. Nil if it was not.
    mutating func takeAdmission(of ticket: FleetTicket) -> FleetChoice? {
        for index in calls.indices {
            guard case .admit(ticket, let choice) = calls[index] else { continue }
            calls.remove(at: index)
            return choice
        }
        return nil
    }

    mutating func takeCalls() -> [FleetCall] {
        defer { calls = [] }
        return calls
    }
}
