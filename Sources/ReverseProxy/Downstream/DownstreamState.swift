import ProxySettings
import RequestAuthorization

/// State machine of an HTTP/1.1 connection across its requests, without bytes, channel or clock.
///
/// Pipelined input is not parsed before the last answer is sent, nor while unread answers fill the connection:
/// otherwise a client could make us hold any number of answers. Each event returns one action for the connection.
struct DownstreamState: ~Copyable {
    enum State: Hashable {
        /// Between two requests, or before the first.
        case idle
        /// A request is in progress, from its first byte to the end of its answer.
        case exchange
        /// Answered. The rest of its small body is discarded before the next request.
        case discarding
        /// The last answer was sent. Received bytes are discarded until the client has read it.
        ///
        /// - Parameters:
        ///   - received: Number of bytes discarded so far.
        ///   - limit: Number of bytes at which the connection is closed.
        case lingering(received: Int, limit: Int)
        case closed
    }

    /// Interpretation of the client's next bytes.
    enum Reading: Hashable {
        case head
        case body
        case tunnel
        /// Bytes of a body that is discarded.
        case discarded
        case lingering
        /// Bytes that wait for the end of the request in progress, or until the client reads its answers.
        case held
    }

    enum Action: Hashable {
        case none
        /// Become idle: the next request may begin.
        case nextRequest
        case discardBody
        /// Close our side, and discard received bytes.
        case linger
        /// Close once everything is written.
        case close
        /// Report to the exchange that the client closed its side.
        case askExchange
    }

    private(set) var state = State.idle
    /// True if the client has closed its side. It may still read.
    private(set) var inputEnded = false
    /// Number of heads received on this connection.
    private(set) var requests = 0
    private var keepsAlive = false

    /// - Parameter isWritable: True if the connection accepts another answer.
    func reading(_ exchange: RequestReading, isWritable: Bool) -> Reading {
        switch state {
        case .idle: isWritable ? .head : .held
        case .exchange:
            switch exchange {
            case .head: .head
            case .body: .body
            case .tunnel: .tunnel
            // Only HTTP/2 has doors that ask by message.
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

    /// Called when bytes of a head arrive. True if they are its first.
    mutating func headBegan() -> Bool {
        guard state == .idle else { return false }
        state = .exchange
        keepsAlive = false
        return true
    }

    /// - Parameter keepsAlive: True if the client allows another request.
    mutating func headReceived(keepsAlive: Bool) {
        requests &+= 1
        self.keepsAlive = keepsAlive
    }

    /// True if client, request and gateway allow another request on the connection.
    ///
    /// - Parameters:
    ///   - more: True if more bytes from the client were received already.
    ///   - requestEnded: True if the whole request was received.
    func mayKeepAlive(isDraining: Bool, limit: Int?, more: Bool, requestEnded: Bool) -> Bool {
        keepsAlive && requestEnded && !isDraining && (!inputEnded || more) && requests < limit ?? .max
    }

    // MARK: Answers

    /// The upstream's response head is being sent.
    mutating func responseBegan(keepsAlive: Bool) {
        self.keepsAlive = keepsAlive
    }

    /// The upstream's response is sent.
    mutating func responseSent(requestEnded: Bool) -> Action {
        guard state == .exchange else { return .none }
        guard keepsAlive, requestEnded else { return linger() }
        state = .idle
        return .nextRequest
    }

    /// Decides whether the connection stays open after the gateway's own answer, which is sent now.
    ///
    /// - Parameters:
    ///   - rest: Number of body bytes still to come. Nil if unknown, or if the client may not send them.
    ///   - mayKeepAlive: True if client and gateway allow another request.
    mutating func ownAnswerBegan(rest: Int?, mayKeepAlive: Bool) -> ConnectionFate {
        keepsAlive = mayKeepAlive && rest.map { $0 <= FixedLimits.unwantedBody } ?? false
        return keepsAlive ? .keep : .close
    }

    /// The gateway's own answer is being written. Returns the action that follows it.
    mutating func ownAnswerSent(rest: Int?) -> Action {
        guard keepsAlive, let rest else { return linger() }
        state = rest > 0 ? .discarding : .idle
        return rest > 0 ? .discardBody : .nextRequest
    }

    /// The tunnel ended. A peer that is still sending must be able to read why.
    mutating func tunnelEnded() -> Action {
        guard state == .exchange else { return .none }
        return linger(limit: .max)
    }

    private mutating func linger(limit: Int = FixedLimits.unwantedBody) -> Action {
        state = .lingering(received: 0, limit: limit)
        return .linger
    }

    // MARK: Discarded bytes

    /// The discarded body is complete.
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

    // MARK: Closing

    /// The client closed its side.
    mutating func inputClosed() {
        inputEnded = true
    }

    /// All bytes that can be consumed now are consumed.
    ///
    /// - Parameter isEmpty: True if no bytes are left.
    func inputConsumed(isEmpty: Bool) -> Action {
        guard inputEnded else { return .none }
        return switch state {
        case .exchange: .askExchange
        case .idle, .discarding: isEmpty ? .close : .none
        case .lingering, .closed: .none
        }
    }

    /// The idle connection timed out while the gateway drains.
    mutating func idleEnded() -> Action {
        guard state == .idle else { return .close }
        return linger()
    }

    /// The channel closed. False if that was reported before.
    mutating func channelClosed() -> Bool {
        defer { state = .closed }
        return state != .closed
    }
}
