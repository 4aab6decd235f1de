import ProxySettings
import RequestAuthorization

/// A request's slot among those with an upstream.
extension RequestExchange {
    /// Takes a slot; false if the limit of all requests or that of the client's address is hit, which is counted and
    /// noted.
    func enterFlight() -> Bool {
        let slot = makeSlot()
        let (most, each) = (configuration.limits.inFlight, configuration.limits.inFlightPerAddress)
        guard let limit = loop.gateway.requestsInFlight.enter(slot.share, most: most, each: each) else {
            relay.slot = slot
            return true
        }
        loop.gateway.met(limit)
        if limit == .inFlightPerAddress { record.facts?.hint = Self.shareIsTaken }
        letGo(of: slot)
        return false
    }

    func leaveFlight() {
        guard let slot = relay.slot.take() else { return }
        loop.gateway.requestsInFlight.leave(slot.share)
        letGo(of: slot)
    }

    /// A slot of the client's share: of the peer's, or of the client that a trusted proxy states. None of a trusted
    /// proxy's own, since that would be the share of all clients behind it.
    private func makeSlot() -> InFlightSlot {
        guard configuration.limits.inFlightPerAddress != .unbounded else {
            return InFlightSlot(share: nil, isOfRequest: false)
        }
        guard relay.peerIsTrusted else {
            return InFlightSlot(share: hop.share(of: loop.gateway.requestsInFlight), isOfRequest: false)
        }
        guard let address = client.address, !configuration.trusts(address) else {
            return InFlightSlot(share: nil, isOfRequest: false)
        }
        return InFlightSlot(share: loop.gateway.requestsInFlight.share(of: address), isOfRequest: true)
    }

    private func letGo(of slot: InFlightSlot) {
        guard slot.isOfRequest, let share = slot.share else { return }
        loop.gateway.requestsInFlight.letGo(of: share)
    }

    private static let shareIsTaken =
        "this client's address has as many requests in flight as `limits.in_flight_per_address` allows; "
        + "a load balancer without `proxy_protocol` or `trusted_proxies` looks like one client"
}
