import ProxySettings
import RequestAuthorization

/// The state of an HTTP/1.1 connection around the requests that it carries one after another: no bytes, no channel, no
/// clock.
///
/// What a client sends ahead is not parsed before the answer to the last request is out, nor while the client leaves so
/// many answers unread that no more fit into the connection: it could have us keep as many as it likes. Each event
/// returns the one action that the connection carries out.
struct DownstreamState: ~Copyable {
    enum State: Hashable {
        /// Between two requests, or before the first.
        case idle
        /// A request is in progress, from its first byte to the end of its answer.
        case exchange
        /// Answered; the rest of its small body is discarded before the next request.
        case discarding
        /// Answered for the last time; what is still received is discarded until the client has seen the answer.
        ///
        /// - Parameters:
        ///   - received: how many bytes were thrown away.
        ///   - limit: how many may be.
        case lingering(received: Int, limit: Int)
        case closed
    }

    /// How bytes of the client are interpreted.
    enum Reading: Hashable {
        case head
        case body
        case tunnel
        /// They belong to an unwanted body.
        case discarded
        case lingering
        /// They wait for the end of the request in progress, or until the client reads its answers.
        case held
    }

    enum Action: Hashable {
        case none
        /// The next request may begin.
        case nextRequest
        case discardBody
        /// End our side, and throw away what comes.
        case linger
        /// Close once everything is written.
        case close
        /// The request in progress decides.
        case askExchange
    }

    private(set) var state = State.idle
    /// Whether the client has ended its side; it may still read.
    private(set) var inputEnded = false
    /// Heads completed on this connection.
    private(set) var requests = 0
    private var keepsAlive = false

    /// - Parameter isWritable: whether the connection takes another answer.
    func reading(_ exchange: RequestReading, isWritable: Bool) -> Reading {
        switch state {
        case .idle: isWritable ? .head : .held
        case .exchange:
            switch exchange {
            case .head: .head
            case .body: .body
            case .tunnel: .tunnel
            // Messages come in HTTP/2.
            case .held, .question: .held
            }
        case .discarding: .discarded
        case .lingering: .lingering
        case .closed: .held
        }
    }

    var isIdle: Bool { state == .idle }

    var isLingering: Bool { if case .lingering = state { true } else { false } }

    // MARK: Requests

    /// Bytes of a head are here; whether they are its first.
    mutating func headBegan() -> Bool {
        guard state == .idle else { return false }
        state = .exchange
        keepsAlive = false
        return true
    }

    /// - Parameter keepsAlive: whether the client allows another request.
    mutating func headReceived(keepsAlive: Bool) {
        requests &+= 1
        self.keepsAlive = keepsAlive
    }

    /// Whether another request may follow, as far as the client, its request and the gateway go.
    ///
    /// - Parameters:
    ///   - more: whether more bytes from the client are here already.
    ///   - requestEnded: whether the whole request was received.
    func mayKeepAlive(isDraining: Bool, limit: Int?, more: Bool, requestEnded: Bool) -> Bool {
        keepsAlive && requestEnded && !isDraining && (!inputEnded || more) && requests < limit ?? .max
    }

    // MARK: Answers

    /// The head of the upstream's response is going out.
    mutating func responseBegan(keepsAlive: Bool) {
        self.keepsAlive = keepsAlive
    }

    /// The upstream's response is out.
    mutating func responseSent(requestEnded: Bool) -> Action {
        guard state == .exchange else { return .none }
        guard keepsAlive, requestEnded else { return linger() }
        state = .idle
        return .nextRequest
    }

    /// Whether the connection stays open after a response of our own, which is sent now.
    ///
    /// - Parameters:
    ///   - rest: how much of the body is still to come; nil if it is not known, or not certain to come.
    ///   - mayKeepAlive: whether client and gateway allow another request.
    mutating func ownAnswerBegan(rest: Int?, mayKeepAlive: Bool) -> ConnectionFate {
        keepsAlive = mayKeepAlive && rest.map { $0 <= FixedLimits.unwantedBody } ?? false
        return keepsAlive ? .keep : .close
    }

    /// Our own answer is being written; what follows it.
    mutating func ownAnswerSent(rest: Int?) -> Action {
        guard keepsAlive, let rest else { return linger() }
        state = rest > 0 ? .discarding : .idle
        return rest > 0 ? .discardBody : .nextRequest
    }

    /// The tunnel is over. A peer that is still sending must be able to read why it ended.
    mutating func tunnelEnded() -> Action {
        guard state == .exchange else { return .none }
        return linger(limit: .max)
    }

    private mutating func linger(limit: Int = FixedLimits.unwantedBody) -> Action {
        state = .lingering(received: 0, limit: limit)
        return .linger
    }

    // MARK: Unwanted bytes

    /// The unwanted body is over.
    mutating func bodyDiscarded() -> Action {
        guard state == .discarding else { return .none }
        state = .idle
        return .nextRequest
    }

    /// Bytes were received after the last answer.
    mutating func bytesDiscarded(_ count: Int) -> Action {
        guard case .lingering(let received, let limit) = state else { return .none }
        let (sum, overflow) = received.addingReportingOverflow(count)
        state = .lingering(received: sum, limit: limit)
        return overflow || sum > limit ? .close : .none
    }

    // MARK: Ends

    /// The client ended its side.
    mutating func inputClosed() {
        inputEnded = true
    }

    /// Everything that can be consumed now is consumed.
    ///
    /// - Parameter isEmpty: whether nothing is left.
    func inputConsumed(isEmpty: Bool) -> Action {
        guard inputEnded else { return .none }
        return switch state {
        case .exchange: .askExchange
        case .idle, .discarding: isEmpty ? .close : .none
        case .lingering, .closed: .none
        }
    }

    /// The gateway drains and nothing happened on the idle connection.
    mutating func idleEnded() -> Action {
        guard state == .idle else { return .close }
        return linger()
    }

    /// The channel is gone; false if that is known.
    mutating func channelClosed() -> Bool {
        defer { state = .closed }
        return state != .closed
    }
}
