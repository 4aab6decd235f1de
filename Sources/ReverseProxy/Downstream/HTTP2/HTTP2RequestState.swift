import ProxySettings

/// Treatment of the rest of a request that is still to come when its answer is sent.
enum RestOfRequest: Hashable {
    /// Little remains, and the client ends its side itself.
    case awaited
    /// Discarded up to a limit, then the stream is reset. An immediate reset makes clients treat the answer as a broken
    /// stream: curl 7.88 reports error 92 and shows nothing.
    case discarded
    /// Stream reset right after the answer, because the client would wait for us to end it.
    case calledOff
}

/// State machine of one request on an HTTP/2 stream, around its exchange; without bytes, session or clock.
struct HTTP2RequestState: ~Copyable {
    enum State: Hashable {
        /// In progress, from its head to the end of its answer.
        case exchange
        /// Answered. Queued output is still being sent, and further input is discarded.
        ///
        /// - Parameter room: Number of bytes still discarded before the stream is reset. Nil if unlimited.
        case ending(room: Int?)
        /// Reset by us. Further input is ignored.
        case reset
        /// Closed by the session.
        case closed
    }

    private(set) var state = State.exchange
    /// True if the client has ended its side.
    private(set) var inputEnded = false
    /// True if the end of the client's side was reported to the exchange.
    private var endReported = false
    /// True if the queue is full, so that no more of the answer should be written.
    private(set) var isPaused = false

    var isInProgress: Bool { state == .exchange }
    var isReset: Bool { state == .reset }

    mutating func inputClosed() { inputEnded = true }

    /// True, once, if the end of the client's side must be reported to the exchange. Called after all earlier input is
    /// consumed.
    mutating func reportsEnd() -> Bool {
        guard state == .exchange, inputEnded, !endReported else { return false }
        endReported = true
        return true
    }

    mutating func queued(welcomesMore: Bool) { isPaused = !welcomesMore }

    /// The queue drained. True if the exchange waits for that.
    mutating func queueDrained() -> Bool {
        guard isPaused else { return false }
        isPaused = false
        return state == .exchange
    }

    /// The response is complete on our side. True if the stream must be reset now, so that the client stops its upload
    /// (RFC 9113 §8.1).
    mutating func answered(_ rest: RestOfRequest) -> Bool {
        guard state == .exchange else { return false }
        let isBounded = rest == .discarded && !inputEnded
        state = .ending(room: isBounded ? FixedLimits.unwantedUpload : nil)
        return rest == .calledOff && !inputEnded
    }

    /// True if the rest of the request is discarded up to a limit.
    var isDiscarding: Bool { if case .ending(room: _?) = state { true } else { false } }

    /// Content was received after the answer. True if it exceeded the limit, so the upload must be stopped.
    mutating func discarded(_ count: Int) -> Bool {
        guard case .ending(let room?) = state else { return false }
        guard count > room else {
            state = .ending(room: room &- count)
            return false
        }
        return callOff()
    }

    /// The time for discarding is over. True if the upload must be stopped.
    mutating func discardingExpired() -> Bool {
        guard isDiscarding else { return false }
        return callOff()
    }

    private mutating func callOff() -> Bool {
        state = .ending(room: nil)
        return !inputEnded
    }

    /// We reset the stream. False if it is over already.
    mutating func reset() -> Bool {
        switch state {
        case .exchange, .ending:
            state = .reset
            return true
        case .reset, .closed: return false
        }
    }

    /// The session closed the stream. True if the exchange was still in progress.
    mutating func closed() -> Bool {
        defer { state = .closed }
        return state == .exchange
    }
}
