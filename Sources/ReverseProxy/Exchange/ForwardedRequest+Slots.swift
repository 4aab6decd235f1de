import NIOCore
import ProxySettings
import RequestAuthorization
import UpstreamFleets

/// A request that waits because every target has as many requests as it may.
extension ForwardedRequest {
    /// - Parameter ticket: its place in the queue. Nil if it has its slot as soon as another event loop has closed an
    ///   idle connection.
    func awaitSlot(in fleet: SharedFleet, _ ticket: FleetTicket?) {
        note(state.slotAwaited())
        exchange.disarm()
        guard let ticket, let time = fleet.group.fleet.connections?.wait else { return }
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let timer = loop.eventLoop.scheduleTask(in: TimeAmount(time)) { bound.value.slotIsLate(ticket) }
        wait = SlotWait(fleet: fleet, ticket: ticket, timer: timer)
    }

    /// Completion that its fleet calls when the request has its slot, or there is none.
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

    /// Nobody waits longer; a slot that is on its way here is still taken.
    private func slotIsLate(_ ticket: FleetTicket) {
        guard let wait, wait.ticket == ticket, wait.fleet.cancel(ticket) else { return }
        self.wait = nil
        noteOverload()
        perform(state.slotRefused(.gateway(.overloaded)))
        exchange.carrier?.process()
    }

    /// It is the gateway that refuses the request, whatever an earlier attempt met.
    func noteOverload() {
        loop.gateway.met(.upstreamConnections)
        exchange.record.upstreamError = nil
    }
}

/// A request's wait for a slot at a target; a class, because few requests have one.
final class SlotWait {
    let fleet: SharedFleet
    let ticket: FleetTicket
    /// When it has waited for long enough.
    let timer: Scheduled<Void>

    init(fleet: SharedFleet, ticket: FleetTicket, timer: Scheduled<Void>) {
        self.fleet = fleet
        self.ticket = ticket
        self.timer = timer
    }

    /// The request has gone; a slot that is on its way to it is given back when it comes.
    func leave() {
        timer.cancel()
        _ = fleet.cancel(ticket)
    }
}

@available(*, unavailable)
extension SlotWait: Sendable {}
