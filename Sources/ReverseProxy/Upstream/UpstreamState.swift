/// Where an upstream connection is in its life; it is used again only if it is provably clean.
struct UpstreamState: ~Copyable {
    enum Phase: Hashable {
        case connecting
        /// Waiting for a request; nothing may come from the upstream.
        case idle
        /// A request is being sent or was sent, and its response head is not complete.
        case head
        /// The response's body is coming.
        case body
        /// Gone over to another protocol.
        case tunnel
        case closed
    }

    /// What bytes from the upstream are.
    enum Arrival: Hashable {
        case response
        /// They go on as they are.
        case tunnel
        /// Nobody asked: the connection is closed, and nobody ever sees them.
        case unsolicited
    }

    /// What the end of the upstream's sending means.
    enum End: Hashable {
        case close
        case endOfBody
        case endOfTunnel
        case failure(UpstreamFailure)
    }

    enum Release: Hashable { case reuse, close }

    private(set) var phase = Phase.connecting
    /// Whether a byte of the response to the present request came.
    private(set) var responseBegan = false
    /// Whether the present request is not the first here.
    private(set) var isReused = false

    private var requestEnded = false
    private var interimResponses = 0
    private var keepsAlive = false
    private var endsWithConnection = false

    /// - Parameter isShared: whether it is a stream on a connection that carried others: what befalls it may have been meant for those.
    mutating func connected(isShared: Bool = false) {
        if phase == .connecting { phase = .idle }
        isReused = isReused || isShared
    }

    /// A request takes the connection; false if it cannot.
    mutating func lease() -> Bool {
        guard phase == .idle else { return false }
        phase = .head
        responseBegan = false
        requestEnded = false
        interimResponses = 0
        return true
    }

    /// The request is sent to its last byte.
    mutating func requestIsSent() {
        requestEnded = true
    }

    mutating func bytesArrive() -> Arrival {
        if phase == .tunnel { return .tunnel }
        guard phase == .head || phase == .body else { return .unsolicited }
        responseBegan = true
        return .response
    }

    /// An interim head is complete; whether it may be relayed.
    mutating func interimResponse() -> Bool {
        interimResponses &+= 1
        return interimResponses <= FixedLimits.interimResponses
    }

    /// The upstream goes over to another protocol; false if the request is not all there.
    mutating func upgrades() -> Bool {
        guard phase == .head, requestEnded else { return false }
        phase = .tunnel
        return true
    }

    /// The final head is complete.
    mutating func headEnded(keepsAlive: Bool, endsWithConnection: Bool) {
        guard phase == .head else { return }
        phase = .body
        self.keepsAlive = keepsAlive
        self.endsWithConnection = endsWithConnection
    }

    /// The response is complete.
    ///
    /// - Parameter surplus: whether bytes came behind it, which could only be taken for the next response.
    mutating func responseEnded(surplus: Bool) -> Release {
        guard phase == .body, keepsAlive, requestEnded, !surplus else {
            phase = .closed
            return .close
        }
        phase = .idle
        isReused = true
        return .reuse
    }

    /// The upstream will send no more.
    mutating func inputClosed() -> End {
        defer { phase = .closed }
        switch phase {
        case .body where endsWithConnection: return .endOfBody
        case .tunnel: return .endOfTunnel
        default: return failure.map(End.failure) ?? .close
        }
    }

    /// The upstream says that it did not process the request; whoever has answered it, in part even, has processed it.
    mutating func refuses() -> UpstreamFailure? {
        guard phase == .head, !responseBegan else { return closes() }
        phase = .closed
        return .notProcessed
    }

    /// The channel is gone; what that means to the request that has it.
    mutating func closes() -> UpstreamFailure? {
        defer { phase = .closed }
        return failure
    }

    private var failure: UpstreamFailure? {
        switch phase {
        case .connecting: .unreachable
        case .head: .closed(isReused: isReused, responseBegan: responseBegan)
        case .body: .truncated
        case .idle, .tunnel, .closed: nil
        }
    }
}
