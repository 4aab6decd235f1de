import HTTPMessages
import NetworkNames
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Limits that a request counts against, before its verdict and with it.
extension RequestExchange {
    // MARK: Verifications that fail

    /// Whether the client has had as many failed verifications as it may.
    func isExhausted(at now: Int64) -> Bool {
        guard let limit = configuration.limits.failedVerificationsPerAddress,
            loop.gateway.failedVerifications.isAnyExhausted(at: now),
            let client = client.address
        else { return false }
        return loop.gateway.failedVerifications.isExhausted(client, limit: limit, at: now)
    }

    /// Counts a token that was verified in vain, once for each signature that was checked: its signature is bad, or its
    /// issuer calls it inactive, or it is refused although the one is good or the other calls it active, or it is long
    /// and was read for nothing. It counts also where the refusal is only observed: the work is the same.
    func noteFailure(_ reason: RejectionReason, _ facts: borrowing AuthorizationFacts, at now: Int64) {
        guard let limit = configuration.limits.failedVerificationsPerAddress else { return }
        if reason == .gateway(.rateLimited) { noteRateLimit(limit) }
        guard facts.spentVerifications > 0, reason.bearerError == .invalidToken else { return }
        guard let client = client.address else { return noteMissingAddress() }
        loop.gateway.failedVerifications.add(client, facts.spentVerifications, limit: limit, at: now)
    }

    private func noteRateLimit(_ limit: Int) {
        loop.gateway.met(.failedVerificationsPerAddress)
        guard !peerIsTrusted, hop.door == nil, request.head.contains(.xForwardedFor) else { return }
        loop.gateway.noteUntrustedProxy(hop.address.peer, limit: limit, generation: configuration.generation)
    }

    // MARK: Key IDs that nobody may ask about

    /// Whether the token names a key that its issuer cannot be asked about now, and the client has had all of its
    /// answers that are 503.
    ///
    /// Any other is noted for the next fetch.
    func isOneUnaskedTooMany(_ facts: borrowing AuthorizationFacts, at now: Int64) -> Bool {
        guard let keyID = facts.keyID, facts.undecidedKey?.isOfKeyID == true else { return false }
        let client = client.address
        guard loop.gateway.unaskedKeyIDs.admit(keyID, of: client, at: now) else {
            loop.gateway.met(.unaskedKeyIDsPerAddress)
            if client == nil { noteMissingAddress() }
            return true
        }
        configuration.authorizer.noteUnasked(copy facts)
        return false
    }

    // MARK: Quotas

    /// By whom and when the request is counted.
    func counting(at now: Int64) -> RequestCounting {
        // Most requests name no other address, and their heads are not copied for that.
        let isForwarded = request.head.contains(.xForwardedFor) || hop.door != nil
        let address = isForwarded ? client.address : hop.address.peerAddress
        let network = address?.client
        var counting = RequestCounting(high: network?.high ?? 0, low: network?.low ?? 0, now: now)
        counting.hasAddress = network != nil || hop.door == nil
        if !counting.hasAddress { noteMissingAddress() }
        return counting
    }

    /// The proxy at a door states no client address, or nothing that is one (`unix:`): a limit by address cannot be
    /// applied.
    func noteMissingAddress() {
        guard let door = hop.door else { return }
        loop.gateway.noteMissingAddress(at: door, generation: configuration.generation)
    }

    // MARK: Requests in flight

    /// Takes a slot among the requests with an upstream. Nil if the limit of all requests or that of the client's
    /// address is hit, which is counted and noted.
    func enterFlight() -> InFlightSlot? {
        let slot = makeSlot()
        let (most, each) = (configuration.limits.inFlight, configuration.limits.inFlightPerAddress)
        guard let limit = loop.gateway.requestsInFlight.enter(slot.share, most: most, each: each) else { return slot }
        loop.gateway.met(limit)
        if limit == .inFlightPerAddress { record.facts?.hint = Self.shareIsTaken }
        loop.gateway.requestsInFlight.letGo(of: slot)
        return nil
    }

    /// A slot of the client's share: of the peer's, or of the client that a trusted proxy states. None of a trusted
    /// proxy's own, since that would be the share of all clients behind it.
    private func makeSlot() -> InFlightSlot {
        let requests = loop.gateway.requestsInFlight
        guard configuration.limits.inFlightPerAddress != .unbounded else {
            return InFlightSlot(share: nil, isOfRequest: false)
        }
        guard peerIsTrusted else { return InFlightSlot(share: hop.share(of: requests), isOfRequest: false) }
        guard let address = client.address, !configuration.trusts(address) else {
            return InFlightSlot(share: nil, isOfRequest: false)
        }
        return InFlightSlot(share: requests.share(of: address), isOfRequest: true)
    }

    private static let shareIsTaken =
        "this client's address has as many requests in flight as `limits.in_flight_per_address` allows; "
        + "a load balancer without `proxy_protocol` or `trusted_proxies` looks like one client"

    // MARK: The shadow

    /// Compares the request's verdict with that of the file of `--shadow`, which neither waits nor asks, and on which
    /// nothing depends.
    ///
    /// - Parameter reason: why the gateway answers itself. Nil if the request is forwarded.
    func judgeShadow(_ reason: RejectionReason?) {
        guard let shadow = loop.shadow, shadow.generation == configuration.generation else { return }
        record.shadowVerdict = loop.compare(&request, reason, record, with: shadow.authorizer)
    }

    /// The same of a request that is on its way already; one that has ended meanwhile was answered for another cause.
    func judgeShadow(ofForwarded number: UInt64) {
        guard loop.shadow != nil, number == record.number, isBusy else { return }
        judgeShadow(nil)
    }
}
