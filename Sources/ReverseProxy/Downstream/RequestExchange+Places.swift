import NIOCore
import ProxySettings
import RequestAuthorization
import UpstreamFleets

/// A request that waits because every target has as many requests as it may.
extension RequestExchange {
    /// - Parameter ticket: nil: it has its place as soon as another event loop has closed an idle connection.
    func awaitPlace(in fleet: SharedFleet, _ ticket: FleetTicket?) {
        state.placeAwaited()
        deadline = .max
        guard let ticket, let wait = fleet.group.fleet.connections?.wait else { return }
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let timer = loop.eventLoop.scheduleTask(in: TimeAmount(wait)) { bound.value.placeIsLate(ticket) }
        relay.place = PlaceWait(fleet: fleet, ticket: ticket, timer: timer)
    }

    /// What its fleet calls when the request has its place, or there is none.
    func placeCompletion(_ fleet: SharedFleet) -> @Sendable (FleetChoice?) -> Void {
        let (number, attempts) = (record.number, relay.attempts)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        return { choice in
            bound.eventLoop.execute { bound.value.placeCame(choice, of: fleet, to: number, after: attempts) }
        }
    }

    private func placeCame(_ choice: FleetChoice?, of fleet: SharedFleet, to number: UInt64, after attempts: Int) {
        guard number == record.number, attempts == relay.attempts, state.state == .queued else {
            if let choice { upstreams.giveBack(choice, of: fleet) }
            return
        }
        relay.place?.timer.cancel()
        relay.place = nil
        if let choice, let target = upstreams.lease(choice, of: fleet), state.placeGiven() {
            begin(at: target, EventLoopClock.now())
        } else {
            record.upstreamError = UnreachableCause.noTarget.text
            perform(state.placeRefused(.upstream(.unavailable)))
        }
        carrier?.process()
    }

    /// Nobody waits longer; a place that is on its way here is still taken.
    private func placeIsLate(_ ticket: FleetTicket) {
        guard let place = relay.place, place.ticket == ticket, place.fleet.cancel(ticket) else { return }
        relay.place = nil
        noteOverload()
        perform(state.placeRefused(.gateway(.overloaded)))
        carrier?.process()
    }

    /// It is the gateway that refuses the request, whatever an earlier attempt met.
    func noteOverload() {
        loop.gateway.met(.upstreamConnections)
        record.upstreamError = nil
    }
}

/// A request's wait for a place; a class, because few requests have one.
final class PlaceWait {
    let fleet: SharedFleet
    let ticket: FleetTicket
    /// When it has waited for long enough.
    let timer: Scheduled<Void>

    init(fleet: SharedFleet, ticket: FleetTicket, timer: Scheduled<Void>) {
        self.fleet = fleet
        self.ticket = ticket
        self.timer = timer
    }

    /// The request has gone; a place that is on its way to it is given back when it comes.
    func leave() {
        timer.cancel()
        _ = fleet.cancel(ticket)
    }
}

@available(*, unavailable)
extension PlaceWait: Sendable {}
