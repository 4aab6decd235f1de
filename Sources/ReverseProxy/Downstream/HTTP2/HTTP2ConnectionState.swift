/// The state of an HTTP/2 connection from a client around the streams that it carries: no bytes, no channel, no clock.
///
/// Each event returns the one action that the connection carries out.
struct HTTP2ConnectionState: ~Copyable {
    enum State: Hashable {
        case serving
        /// The client was told that the connection ends, and what it asked before it knew is still taken (RFC 9113
        /// §6.8).
        case ending
        /// The client was told which request was the last.
        case settled
        /// Nothing more is read: what was serialized goes out, and then our side ends.
        case leaving
        case closed
    }

    enum Action: Hashable {
        case none
        /// Tell the client that the connection ends, and find out when it has heard that.
        case announceEnd
        /// Tell the client which request was the last.
        case settle
        /// End our side once everything is written.
        case leave
        case close
    }

    private(set) var state = State.serving
    private(set) var openStreams = 0
    /// Streams that were ever begun.
    private(set) var allStreams = 0

    var isEnding: Bool { state != .serving }
    var isLeaving: Bool { state == .leaving || state == .closed }

    // MARK: Streams

    /// A request begins; false if it is refused, so that the client may send it again elsewhere.
    ///
    /// - Parameters:
    ///   - limit: how many requests the connection may carry; nil: any number.
    ///   - isLate: whether the client has had time to see that the connection ends.
    mutating func streamBegan(limit: Int?, isLate: Bool) -> Bool {
        allStreams &+= 1
        guard state == .serving || state == .ending && !isLate, allStreams <= limit ?? .max else { return false }
        openStreams &+= 1
        return true
    }

    /// Whether the request that has just begun is the last that the connection may carry.
    mutating func limitReached(_ limit: Int?) -> Action {
        guard let limit, allStreams >= limit else { return .none }
        return drain()
    }

    /// A request that was begun is over.
    mutating func streamEnded() {
        openStreams = max(0, openStreams &- 1)
    }

    // MARK: Ends

    /// No more requests are wanted.
    mutating func drain() -> Action {
        guard state == .serving else { return .none }
        state = .ending
        return .announceEnd
    }

    /// The client has heard that the connection ends.
    mutating func endAcknowledged() -> Action {
        guard state == .ending else { return .none }
        state = .settled
        return .settle
    }

    /// It was idle for too long.
    mutating func idleEnded() -> Action {
        switch state {
        // A client that never sent a request gets no GOAWAY.
        case .serving where allStreams == 0: leave()
        // A request may be on its way, so the client is told first.
        case .serving: drain()
        case .ending: endAcknowledged()
        case .settled: leave()
        case .leaving: .close
        case .closed: .none
        }
    }

    /// The connection is over for the session: by a fault of the client's, or because nothing is open behind a GOAWAY.
    ///
    /// - Parameter hasFailed: whether it is by a fault.
    mutating func sessionEnded(hasFailed: Bool) -> Action {
        // A request may be on its way that the client sent before it knew.
        state == .ending && !hasFailed ? .none : leave()
    }

    /// The client ended its side: HTTP/2 connections are not half-closed, so it waits for nothing.
    mutating func inputClosed() -> Action {
        state == .leaving ? .close : leave()
    }

    private mutating func leave() -> Action {
        guard !isLeaving else { return .none }
        state = .leaving
        return .leave
    }

    /// The channel is gone; false if that is known.
    mutating func channelClosed() -> Bool {
        defer { state = .closed }
        return state != .closed
    }
}
