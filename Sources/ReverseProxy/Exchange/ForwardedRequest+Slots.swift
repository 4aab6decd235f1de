import NIOCore
import ProxySettings
import RequestAuthorization
import UpstreamFleets

/// Waiting for a slot, while every target has as many requests as it may.
extension ForwardedRequest {
    /// - Parameter ticket: Position in the fleet's queue. Nil if the request gets its slot as soon as another event
    ///   loop has closed an idle connection.
    func awaitSlot(in fleet: SharedFleet, _ ticket: FleetTicket?) {
        note(state.slotAwaited())
        exchange.disarm()
        guard let ticket, let time = fleet.group.fleet.connections?.wait else { return }
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let timer = loop.eventLoop.scheduleTask(in: TimeAmount(time)) { bound.value.slotIsLate(ticket) }
        wait = SlotWait(fleet: fleet, ticket: ticket, timer: timer)
    }

    /// Completion for the fleet to call once the request has its slot, or no target can take requests any more.
    func slotCompletion(_ fleet: SharedFleet) -> @Sendable (FleetChoice?) -> Void {
        let (number, count) = (exchange.record.number, attempts.count)
        let bound = NIOLoopBound((self, exchange), eventLoop: loop.eventLoop)
        return { choice in
            bound.eventLoop.execute { bound.value.0.slotCame(choice, of: fleet, to: number, after: count) }
        }
    }

    private func slotCame(_ choice: FleetChoice?, of fleet: SharedFleet, to number: UInt64, after count: Int) {
        guard number == exchange.record.number, count == attempts.count, state.state == .queued else {
            if let choice { upstreams.giveBack(choice, of: fleet) }
            return
        }
        wait?.timer.cancel()
        wait = nil
        if let choice, let target = upstreams.lease(choice, of: fleet) {
            note(state.slotGiven())
            begin(at: target, EventLoopClock.now())
        } else {
            exchange.record.upstreamError = UnreachableCause.noTarget.text
            perform(state.slotRefused(.upstream(.unavailable)))
        }
        exchange.carrier?.process()
    }

    /// Rejects the request as overloaded after its time-out. Does nothing if the fleet has already granted a slot: the
    /// request is then forwarded with that slot.
    private func slotIsLate(_ ticket: FleetTicket) {
        guard let wait, wait.ticket == ticket, wait.fleet.cancel(ticket) else { return }
        self.wait = nil
        noteOverload()
        perform(state.slotRefused(.gateway(.overloaded)))
        exchange.carrier?.process()
    }

    /// Notes that the gateway itself refuses the request. Drops the error of an earlier attempt.
    func noteOverload() {
        loop.gateway.met(.upstreamConnections)
        exchange.record.upstreamError = nil
    }
}

/// A request's wait for a slot at a target. A class, because few requests have one.
final class SlotWait {
    let fleet: SharedFleet
    let ticket: FleetTicket
    /// Timer for the longest wait.
    let timer: Scheduled<Void>

    init(fleet: SharedFleet, ticket: FleetTicket, timer: Scheduled<Void>) {
        self.fleet = fleet
        self.ticket = ticket
        self.timer = timer
    }

    /// Cancels the wait because the request ended. A slot that was already granted is given back when it arrives.
    func leave() {
        timer.cancel()
        _ = fleet.cancel(ticket)
    }
}

@available(*, unavailable)
extension SlotWait: Sendable {}
