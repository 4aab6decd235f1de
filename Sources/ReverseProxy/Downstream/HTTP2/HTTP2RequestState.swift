/// The state of one request on a stream, around its exchange: no bytes, no session, no clock.
struct HTTP2RequestState: ~Copyable {
    enum State: Hashable {
        /// In progress, from its head to the end of its answer.
        case exchange
        /// Answered: the queue is still being sent, and what the client still sends is discarded.
        case ending
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

    /// The response is complete on our side; true if the client is to be told not to send the rest of its request (RFC 9113 §8.1).
    ///
    /// - Parameter isRestWanted: whether the rest may come, because it is small or already here.
    mutating func answered(isRestWanted: Bool) -> Bool {
        guard state == .exchange else { return false }
        state = .ending
        return !isRestWanted && !inputEnded
    }

    /// We reset the stream; false if it is over already.
    mutating func reset() -> Bool {
        guard state == .exchange || state == .ending else { return false }
        state = .reset
        return true
    }

    /// The session has forgotten the stream; whether the exchange was still in progress.
    mutating func closed() -> Bool {
        defer { state = .closed }
        return state == .exchange
    }
}
