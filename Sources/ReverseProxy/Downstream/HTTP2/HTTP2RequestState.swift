import ProxySettings

/// What becomes of the part of a request that is still to come when its answer is out.
enum RestOfRequest: Hashable {
    /// It is little, and the client ends its side by itself.
    case awaited
    /// It is discarded within bounds, then called off. A client that is called off at once takes the answer for a
    /// broken stream: curl 7.88 reports its error 92 and shows nothing.
    case discarded
    /// It is called off behind the answer, because the client would wait for us to end the stream.
    case calledOff
}

/// The state of one request on a stream, around its exchange: no bytes, no session, no clock.
struct HTTP2RequestState: ~Copyable {
    enum State: Hashable {
        /// In progress, from its head to the end of its answer.
        case exchange
        /// Answered: the queue is still being sent, and what the client still sends is discarded.
        ///
        /// - Parameter room: how many bytes more are discarded before the rest is called off; nil: any number.
        case ending(room: Int?)
        /// Reset by us: the rest of it is ignored.
        case reset
        /// The session has forgotten the stream.
        case closed
    }

    private(set) var state = State.exchange
    /// Whether the client has ended its side.
    private(set) var inputEnded = false
    /// Whether the exchange was told so.
    private var endReported = false
    /// Whether more of an answer would pile up.
    private(set) var isPaused = false

    var isInProgress: Bool { state == .exchange }
    var isReset: Bool { state == .reset }

    mutating func inputClosed() { inputEnded = true }

    /// Whether the exchange has to hear that the client ended its side, once everything before it is consumed.
    mutating func reportsEnd() -> Bool {
        guard state == .exchange, inputEnded, !endReported else { return false }
        endReported = true
        return true
    }

    mutating func queued(welcomesMore: Bool) { isPaused = !welcomesMore }

    /// What was queued is on its way; true if the exchange waits for that.
    mutating func queueDrained() -> Bool {
        guard isPaused else { return false }
        isPaused = false
        return state == .exchange
    }

    /// The response is complete on our side; true if the client is to be told now not to send the rest of its request
    /// (RFC 9113 §8.1).
    mutating func answered(_ rest: RestOfRequest) -> Bool {
        guard state == .exchange else { return false }
        let isBounded = rest == .discarded && !inputEnded
        state = .ending(room: isBounded ? FixedLimits.unwantedUpload : nil)
        return rest == .calledOff && !inputEnded
    }

    /// Whether the rest of the request is discarded within bounds.
    var isDiscarding: Bool { if case .ending(room: _?) = state { true } else { false } }

    /// Content was received behind the answer; true if it was so much that the rest is to be called off.
    mutating func discarded(_ count: Int) -> Bool {
        guard case .ending(let room?) = state else { return false }
        guard count > room else {
            state = .ending(room: room &- count)
            return false
        }
        return callOff()
    }

    /// The time in which the rest is discarded is over; true if it is to be called off.
    mutating func discardingExpired() -> Bool {
        guard isDiscarding else { return false }
        return callOff()
    }

    private mutating func callOff() -> Bool {
        state = .ending(room: nil)
        return !inputEnded
    }

    /// We reset the stream; false if it is over already.
    mutating func reset() -> Bool {
        switch state {
        case .exchange, .ending:
            state = .reset
            return true
        case .reset, .closed: return false
        }
    }

    /// The session has forgotten the stream; whether the exchange was still in progress.
    mutating func closed() -> Bool {
        defer { state = .closed }
        return state == .exchange
    }
}
