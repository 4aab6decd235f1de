/// State machine of an HTTP/2 connection from a client, across its streams; without bytes, channel or clock.
///
/// Each event returns one action for the connection.
struct HTTP2ConnectionState: ~Copyable {
    enum State: Hashable {
        case serving
        /// A first GOAWAY was sent. Requests that the client sent before it received that are still accepted (RFC 9113
        /// §6.8).
        case ending
        /// A second GOAWAY told the client which request was the last.
        case settled
        /// Nothing more is read. Serialized output is written, then our side closes.
        case leaving
        case closed
    }

    enum Action: Hashable {
        case none
        /// Send a first GOAWAY, and a PING to learn when the client received it.
        case announceEnd
        /// Send a GOAWAY with the last accepted request.
        case settle
        /// Close our side once everything is written.
        case leave
        case close
    }

    private(set) var state = State.serving
    private(set) var openStreams = 0
    /// Number of streams ever begun.
    private(set) var allStreams = 0

    var isEnding: Bool { state != .serving }
    var isLeaving: Bool { state == .leaving || state == .closed }

    // MARK: Streams

    /// A request begins. False if it is refused, so that the client may send it again elsewhere.
    ///
    /// - Parameters:
    ///   - limit: Number of requests that the connection may carry. Nil if unlimited.
    ///   - isLate: True if the client had time to receive the first GOAWAY.
    mutating func streamBegan(limit: Int?, isLate: Bool) -> Bool {
        allStreams &+= 1
        guard state == .serving || state == .ending && !isLate, allStreams <= limit ?? .max else { return false }
        openStreams &+= 1
        return true
    }

    /// Starts draining if the request that just began is the last that the connection may carry.
    mutating func limitReached(_ limit: Int?) -> Action {
        guard let limit, allStreams >= limit else { return .none }
        return drain()
    }

    /// A request ended.
    mutating func streamEnded() {
        openStreams = max(0, openStreams &- 1)
    }

    // MARK: Closing

    /// The gateway drains, or the request limit is reached.
    mutating func drain() -> Action {
        guard state == .serving else { return .none }
        state = .ending
        return .announceEnd
    }

    /// The client acknowledged the PING, so it has received the first GOAWAY.
    mutating func endAcknowledged() -> Action {
        guard state == .ending else { return .none }
        state = .settled
        return .settle
    }

    /// The idle time-out passed.
    mutating func idleEnded() -> Action {
        switch state {
        // A client that never sent a request gets no GOAWAY.
        case .serving where allStreams == 0: leave()
        // A request may be in flight, so a first GOAWAY is sent.
        case .serving: drain()
        case .ending: endAcknowledged()
        case .settled: leave()
        case .leaving: .close
        case .closed: .none
        }
    }

    /// The session is over: the client caused an error, or no stream is open after a GOAWAY.
    ///
    /// - Parameter hasFailed: True if the client caused an error.
    mutating func sessionEnded(hasFailed: Bool) -> Action {
        // A request may be in flight that the client sent before it received the GOAWAY.
        state == .ending && !hasFailed ? .none : leave()
    }

    /// The client closed its side. HTTP/2 connections are not half-closed, so it expects no answer.
    mutating func inputClosed() -> Action {
        state == .leaving ? .close : leave()
    }

    private mutating func leave() -> Action {
        guard !isLeaving else { return .none }
        state = .leaving
        return .leave
    }

    /// The channel closed. False if that was reported before.
    mutating func channelClosed() -> Bool {
        defer { state = .closed }
        return state != .closed
    }
}
