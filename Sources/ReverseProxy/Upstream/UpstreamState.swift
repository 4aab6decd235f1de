import ProxySettings

/// The state of an HTTP/1.1 connection to an upstream. It is reused only if it is provably clean.
///
/// Each event returns the one action that the connection carries out.
struct UpstreamState: ~Copyable {
    enum State: Hashable {
        /// - Parameter isWanted: whether a request still waits for it.
        case connecting(isWanted: Bool)
        /// Waiting for a request; nothing may come from the upstream.
        case idle
        /// A request is being sent or was sent, and the final response head is not complete.
        case head(Exchange)
        /// The response's body is being received.
        case body(Exchange, keepsAlive: Bool, endsWithConnection: Bool)
        /// Switched to another protocol.
        case tunnel
        case closed
    }

    /// The request that the connection carries.
    struct Exchange: Hashable {
        var requestIsSent = false
        var responseBegan = false
        var interimResponses = 0
    }

    enum Action: Hashable {
        case none
        /// Tell the lessee that the connection is ready.
        case announce
        /// The connection is not leased: keep it for the next request.
        case keep
        /// Close the channel; there is no lessee to tell.
        case close
        /// Close the channel and tell the lessee.
        case fail(UpstreamFailure)
        /// The received bytes are the response's head, or the first bytes of it.
        case readHead
        case readBody
        case relayTunnel
        case relayInterim
        case relayFinal
        case openTunnel
        /// The response is complete; the connection is kept, or closed.
        case complete(keeps: Bool)
        /// Close the channel: its end was the end of the body.
        case endBody
        /// Close the channel: its end is the end of the tunnel.
        case endTunnel
    }

    private(set) var state = State.connecting(isWanted: true)
    /// Whether the present request is not the first here.
    private(set) var isReused = false

    // MARK: The lease

    /// The channel is connected.
    mutating func connected() -> Action {
        guard case .connecting(let isWanted) = state else { return .none }
        state = .idle
        return isWanted ? .announce : .keep
    }

    /// The channel is connected, and a session has it.
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

    /// A request takes the connection; false if it cannot.
    mutating func lease() -> Bool {
        guard state == .idle else { return false }
        state = .head(Exchange())
        return true
    }

    /// The lessee gives the connection up before its response ended. What may still be received is not known, so the
    /// connection closes; one that is still connecting is clean, and is kept when it is connected.
    mutating func abandoned() -> Action {
        guard case .connecting = state else { return .close }
        state = .connecting(isWanted: false)
        return .none
    }

    /// The request is sent to its last byte.
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
        // No request was sent, and no one sees these bytes.
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

    /// A head with status 101.
    ///
    /// - Parameter isAsked: whether it answers what the request asked for.
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

    /// The response is complete.
    ///
    /// - Parameter surplus: whether bytes follow it, which could only be taken for the next response.
    mutating func bodyEnded(surplus: Bool) -> Action {
        guard case .body(let exchange, let keepsAlive, _) = state, keepsAlive, exchange.requestIsSent, !surplus else {
            state = .closed
            return .complete(keeps: false)
        }
        state = .idle
        isReused = true
        return .complete(keeps: true)
    }

    /// What was received is not a response, or not one to be relayed.
    mutating func malformed(_ fault: ResponseFault) -> Action {
        state = .closed
        return .fail(.invalidResponse(fault))
    }

    // MARK: Ends

    /// The upstream will send no more.
    mutating func inputClosed() -> Action {
        if case .body(_, _, endsWithConnection: true) = state {
            state = .closed
            return .endBody
        }
        let action = closed()
        return action == .none ? .close : action
    }

    /// The channel failed or is closed.
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
