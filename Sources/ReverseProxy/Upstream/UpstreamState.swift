import ProxySettings

/// State machine of an HTTP/1.1 connection to an upstream. The connection is reused only if it is provably clean.
///
/// Each event returns the one action that the connection must execute.
struct UpstreamState: ~Copyable {
    enum State: Hashable {
        /// Connecting.
        ///
        /// - Parameter isWanted: whether a request still waits for the connection.
        case connecting(isWanted: Bool)
        /// Waiting for a request; the upstream must send nothing.
        case idle
        /// A request is being sent or was sent. The final response head is not complete.
        case head(Exchange)
        /// The response body is being received.
        case body(Exchange, keepsAlive: Bool, endsWithConnection: Bool)
        /// Switched to another protocol.
        case tunnel
        case closed
    }

    /// Progress of the request that the connection carries.
    struct Exchange: Hashable {
        var requestIsSent = false
        var responseBegan = false
        var interimResponses = 0
    }

    enum Action: Hashable {
        case none
        /// Report to the lessee that the connection is ready.
        case announce
        /// Keep the connection for the next request. It is not leased.
        case keep
        /// Close the channel. There is no lessee to notify.
        case close
        /// Close the channel, and report the failure to the lessee.
        case fail(UpstreamFailure)
        /// Parse the received bytes as the response's head, or as a part of it.
        case readHead
        case readBody
        case relayTunnel
        case relayInterim
        case relayFinal
        case openTunnel
        /// Finish the response, and keep or close the connection.
        case complete(keeps: Bool)
        /// Close the channel, and finish the response, whose body ends with the connection.
        case endBody
        /// Close the channel, and report the end of the tunnel.
        case endTunnel
    }

    private(set) var state = State.connecting(isWanted: true)
    /// True if the connection carried a request before the current one.
    private(set) var isReused = false

    // MARK: The lease

    /// Called when the channel is connected.
    mutating func connected() -> Action {
        guard case .connecting(let isWanted) = state else { return .none }
        state = .idle
        return isWanted ? .announce : .keep
    }

    /// Called when the channel is connected and a session takes it over.
    mutating func handedOver() -> Action {
        guard case .connecting(let isWanted) = state else { return .none }
        state = .closed
        return isWanted ? .announce : .none
    }

    mutating func connectFailed(_ failure: UpstreamFailure) -> Action {
        guard case .connecting(let isWanted) = state else { return .none }
        state = .closed
        return isWanted ? .fail(failure) : .none
    }

    /// Leases the connection to a request. Returns false if it is not idle.
    mutating func lease() -> Bool {
        guard state == .idle else { return false }
        state = .head(Exchange())
        return true
    }

    /// Handles a lessee that gives up before its response is complete. Unknown bytes may still arrive, so the
    /// connection closes. One that is still connecting is clean, and is kept once it is connected.
    mutating func abandoned() -> Action {
        guard case .connecting = state else { return .close }
        state = .connecting(isWanted: false)
        return .none
    }

    /// Called when the last byte of the request was sent.
    mutating func requestSent() {
        switch state {
        case .head(var exchange):
            exchange.requestIsSent = true
            state = .head(exchange)
        case .body(var exchange, let keepsAlive, let endsWithConnection):
            exchange.requestIsSent = true
            state = .body(exchange, keepsAlive: keepsAlive, endsWithConnection: endsWithConnection)
        case .connecting, .idle, .tunnel, .closed: break
        }
    }

    // MARK: The response

    mutating func bytesReceived() -> Action {
        switch state {
        case .head(var exchange):
            exchange.responseBegan = true
            state = .head(exchange)
            return .readHead
        case .body: return .readBody
        case .tunnel: return .relayTunnel
        // No request was sent, so these bytes are not a response.
        case .connecting, .idle, .closed: return .close
        }
    }

    mutating func interimHeadReceived() -> Action {
        guard case .head(var exchange) = state else { return .none }
        exchange.interimResponses += 1
        guard exchange.interimResponses <= FixedLimits.interimResponses else { return malformed(.interimResponses) }
        state = .head(exchange)
        return .relayInterim
    }

    /// Handles a head with status 101.
    ///
    /// - Parameter isAsked: whether the head accepts the protocol switch that the request asked for.
    mutating func switchingProtocolsReceived(isAsked: Bool) -> Action {
        guard isAsked, case .head(let exchange) = state, exchange.requestIsSent else {
            return malformed(.protocolSwitch)
        }
        state = .tunnel
        return .openTunnel
    }

    mutating func finalHeadReceived(keepsAlive: Bool, endsWithConnection: Bool) -> Action {
        guard case .head(let exchange) = state else { return .none }
        state = .body(exchange, keepsAlive: keepsAlive, endsWithConnection: endsWithConnection)
        return .relayFinal
    }

    /// Handles the end of the response.
    ///
    /// - Parameter surplus: whether bytes follow the response, which could be mistaken for the next response.
    mutating func bodyEnded(surplus: Bool) -> Action {
        guard case .body(let exchange, let keepsAlive, _) = state, keepsAlive, exchange.requestIsSent, !surplus else {
            state = .closed
            return .complete(keeps: false)
        }
        state = .idle
        isReused = true
        return .complete(keeps: true)
    }

    /// Rejects bytes that are no valid response, or a response that must not be relayed.
    mutating func malformed(_ fault: ResponseFault) -> Action {
        state = .closed
        return .fail(.invalidResponse(fault))
    }

    // MARK: Ends

    /// Handles the end of input: the upstream will send nothing more.
    mutating func inputClosed() -> Action {
        if case .body(_, _, endsWithConnection: true) = state {
            state = .closed
            return .endBody
        }
        let action = closed()
        return action == .none ? .close : action
    }

    /// Handles a channel that failed or closed.
    mutating func closed() -> Action {
        let last = state
        state = .closed
        return switch last {
        case .connecting(isWanted: true): .fail(.unreachable(.ended))
        case .head(let exchange): .fail(.closed(isReused: isReused, responseBegan: exchange.responseBegan))
        case .body: .fail(.truncated)
        case .tunnel: .endTunnel
        case .connecting, .idle, .closed: .none
        }
    }
}
