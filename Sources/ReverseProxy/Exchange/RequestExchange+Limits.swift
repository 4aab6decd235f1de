import HTTPMessages
import NetworkNames
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Limits that a request counts against, before its verdict and with it.
extension RequestExchange {
    // MARK: Failed verifications

    /// True if the client has reached its limit of failed verifications.
    func isExhausted(at now: Int64) -> Bool {
        guard let limit = configuration.limits.failedVerificationsPerAddress,
            loop.gateway.failedVerifications.isAnyExhausted(at: now),
            let client = client.address
        else { return false }
        return loop.gateway.failedVerifications.isExhausted(client, limit: limit, at: now)
    }

    /// Counts the failed verifications of a refused token, one for each signature that was checked in vain.
    ///
    /// The cause is an invalid signature, or an issuer that calls the token inactive. A token refused in spite of a
    /// good signature or an active state counts too. So does a long token that was parsed for nothing. Refusals under a
    /// rule in observe mode count as well, because the work is the same.
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

    // MARK: Key IDs that the issuer cannot be asked about now

    /// True if the token names a key that its issuer cannot be asked about now, and the client has used up its 503
    /// answers.
    ///
    /// Otherwise such a key ID is noted for the next fetch.
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

    /// Client and time by which quotas count the request.
    func counting(at now: Int64) -> RequestCounting {
        // Most requests have no forwarded address; their heads need not be copied.
        let isForwarded = request.head.contains(.xForwardedFor) || hop.door != nil
        let address = isForwarded ? client.address : hop.address.peerAddress
        let network = address?.client
        var counting = RequestCounting(high: network?.high ?? 0, low: network?.low ?? 0, now: now)
        counting.hasAddress = network != nil || hop.door == nil
        if !counting.hasAddress { noteMissingAddress() }
        return counting
    }

    /// Logs that the proxy at a door states no client address, or one that is no IP address (`unix:`), so no limit by
    /// address applies.
    func noteMissingAddress() {
        guard let door = hop.door else { return }
        loop.gateway.noteMissingAddress(at: door, generation: configuration.generation)
    }

    // MARK: Requests in flight

    /// Takes a slot among the requests in flight. Nil if the total limit or the limit of the client's address is hit;
    /// the hit is counted.
    func enterFlight() -> InFlightSlot? {
        let slot = makeSlot()
        let (most, each) = (configuration.limits.inFlight, configuration.limits.inFlightPerAddress)
        guard let limit = loop.gateway.requestsInFlight.enter(slot.share, most: most, each: each) else { return slot }
        loop.gateway.met(limit)
        if limit == .inFlightPerAddress { record.facts?.hint = Self.shareIsTaken }
        loop.gateway.requestsInFlight.letGo(of: slot)
        return nil
    }

    /// Makes a slot in the client's share: that of the peer, or of the client that a trusted proxy states. A trusted
    /// proxy gets no share, since all clients behind it would have to share it.
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

    /// Compares the request's verdict with that of the `--shadow` policy. The comparison never waits, makes no external
    /// calls, and changes no answer.
    ///
    /// - Parameter reason: Reason why the gateway answers itself. Nil if the request is forwarded.
    func judgeShadow(_ reason: RejectionReason?) {
        guard let shadow = loop.shadow, shadow.generation == configuration.generation else { return }
        record.shadowVerdict = loop.compare(&request, reason, record, with: shadow.authorizer)
    }

    /// Compares a request that is being forwarded. Skipped if it ended meanwhile, because it was then answered for
    /// another cause.
    func judgeShadow(ofForwarded number: UInt64) {
        guard loop.shadow != nil, number == record.number, isBusy else { return }
        judgeShadow(nil)
    }
}
