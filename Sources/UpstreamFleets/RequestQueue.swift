/// A request that waits for a place at a target.
public struct FleetTicket: Sendable, Hashable {
    let number: UInt64
}

/// What becomes of a request.
public enum FleetAnswer: Sendable, Hashable {
    case target(FleetChoice)
    /// Every target that may take it is full; it hears by a ``FleetCall``.
    case wait(FleetTicket)
    /// As many wait as may.
    case full
    /// No target can take it.
    case unavailable
}

/// What the gateway has to tell requests that wait.
public enum FleetCall: Sendable, Hashable {
    /// The request has its place.
    case admit(FleetTicket, FleetChoice)
    /// No target can take requests any more.
    case refuse(FleetTicket)
}

/// The requests that wait, first come first served.
struct RequestQueue: Sendable {
    struct Waiter: Sendable {
        let ticket: FleetTicket
        let key: UInt64?
        let tried: TargetSet
        /// The event loop of the request.
        let loop: Int
    }

    /// In the order of their tickets.
    private(set) var waiters: [Waiter] = []
    /// Not yet handed over.
    private(set) var calls: [FleetCall] = []
    private var lastNumber: UInt64 = 0

    mutating func append(key: UInt64?, avoiding tried: TargetSet, on loop: Int) -> FleetTicket {
        lastNumber &+= 1
        let ticket = FleetTicket(number: lastNumber)
        waiters.append(Waiter(ticket: ticket, key: key, tried: tried, loop: loop))
        return ticket
    }

    /// - Parameter index: in bounds.
    mutating func admit(at index: Int, _ choice: FleetChoice) {
        calls.append(.admit(waiters.remove(at: index).ticket, choice))
    }

    mutating func refuseAll() {
        calls += waiters.map { .refuse($0.ticket) }
        waiters.removeAll()
    }

    /// False: it does not wait any more.
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

    /// The choice for a request that was just admitted; nil: it was not.
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
