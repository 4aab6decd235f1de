import HTTPMessages
import RequestAuthorization

/// Where a downstream connection is in its life, and what each event means there: no bytes, no channel, no clock.
///
/// One request is in progress at a time. What a client sends ahead is not parsed before the answer to the last request is out.
struct DownstreamState: ~Copyable {
    enum Phase: Hashable {
        /// Between two requests, or before the first.
        case idle
        /// A head has begun.
        case head
        /// A head is complete and its verdict is not there yet.
        case judging
        /// The request is an upstream's, or about to be.
        case forwarding
        /// Gone over to another protocol.
        case tunnel
        /// Answered; the rest of its small body is thrown away before the next request.
        case discarding
        /// Answered for the last time; what still comes is thrown away until the client has seen the answer.
        case lingering
        case closed
    }

    /// What bytes from the client are, if some come now.
    enum Reading: Hashable {
        case head
        case body
        /// They belong to a body that nobody wants.
        case discarded
        case lingering
        /// They go on as they are.
        case tunnel
        /// They wait for the end of the request in progress.
        case held
    }

    /// What happens on the connection after an answer.
    enum Continuation: Hashable { case nextRequest, discardBody, linger }

    /// What a peer's silence or failure comes to.
    enum Failure: Hashable {
        case none
        case close
        /// The response has begun: the client must see that it does not end as it should.
        case abort
        case answer(RejectionReason)
        /// The upstream hears that the client has nothing more to say, and may still say something itself.
        case halfClose
    }

    private(set) var phase = Phase.idle
    /// Whether the whole request is here, body included.
    private(set) var requestEnded = false
    /// Whether a final response has begun to go out; still true afterwards, until the next head begins.
    private(set) var responseBegan = false
    /// Whether the client has said that nothing more will come; it may still read.
    private(set) var inputEnded = false
    /// Heads completed on this connection.
    private(set) var requests = 0

    private var keepsAlive = false
    private var lingeredBytes = 0
    private var lingerLimit = FixedLimits.unwantedBody

    var reading: Reading {
        switch phase {
        case .idle, .head: .head
        case .forwarding where !requestEnded: .body
        case .judging, .forwarding, .closed: .held
        case .discarding: .discarded
        case .lingering: .lingering
        case .tunnel: .tunnel
        }
    }

    /// Whether a request is in progress, from its first byte to the end of its answer.
    var isBusy: Bool {
        switch phase {
        case .head, .judging, .forwarding, .tunnel: true
        case .idle, .discarding, .lingering, .closed: false
        }
    }

    /// Whether an answer is on its way out.
    var isAnswering: Bool { responseBegan && (phase == .forwarding || phase == .lingering) }

    // MARK: The request

    /// Bytes of a head are here; whether they are its first.
    mutating func headArrives() -> Bool {
        guard phase == .idle else { return false }
        phase = .head
        requestEnded = false
        responseBegan = false
        keepsAlive = false
        return true
    }

    mutating func headEnded(framing: BodyFraming, keepsAlive: Bool) {
        guard phase == .head else { return }
        phase = .judging
        requests &+= 1
        requestEnded = framing == .none || framing == .length(0)
        self.keepsAlive = keepsAlive
    }

    mutating func permitted() {
        if phase == .judging { phase = .forwarding }
    }

    mutating func bodyEnded() {
        requestEnded = true
    }

    /// The client half-closed.
    mutating func inputClosed() {
        inputEnded = true
    }

    /// Whether another request may follow, as far as the client, its request and the gateway go.
    ///
    /// - Parameter more: whether more bytes from the client are here already.
    func mayKeepAlive(isDraining: Bool, limit: Int?, more: Bool) -> Bool {
        keepsAlive && requestEnded && !isDraining && (!inputEnded || more) && requests < limit ?? .max
    }

    // MARK: The answer

    /// The upstream's final head is going out.
    mutating func responseBegins(keepsAlive: Bool) {
        responseBegan = true
        self.keepsAlive = keepsAlive
    }

    /// The answer is complete.
    mutating func responseEnded() -> Continuation {
        guard keepsAlive, requestEnded else {
            phase = .lingering
            return .linger
        }
        phase = .idle
        return .nextRequest
    }

    /// Whether the connection can live on after an answer of our own, which goes out now.
    ///
    /// - Parameters:
    ///   - rest: how much of the body is still to come; nil if it is not known, or not certain to come.
    ///   - mayKeepAlive: what `mayKeepAlive(…)` would say if the whole request were here.
    mutating func rejects(endsConnection: Bool, rest: Int?, mayKeepAlive: Bool) -> ConnectionFate {
        let isJudging = phase == .judging || phase == .forwarding
        keepsAlive = isJudging && !endsConnection && mayKeepAlive && rest.map { $0 <= FixedLimits.unwantedBody } ?? false
        responseBegan = true
        return keepsAlive ? .keep : .close
    }

    /// The upstream goes over to another protocol; false if that cannot be.
    mutating func tunnels() -> Bool {
        guard phase == .forwarding, requestEnded, !responseBegan else { return false }
        phase = .tunnel
        responseBegan = true
        keepsAlive = false
        return true
    }

    /// The gateway ends what was gone over to; false if it has ended.
    mutating func tunnelEnds() -> Bool {
        guard phase == .tunnel else { return false }
        phase = .lingering
        // Who was in the middle of sending is still to see why it ended.
        lingerLimit = .max
        return true
    }

    /// Our own answer is complete.
    mutating func rejected(rest: Int?) -> Continuation {
        guard keepsAlive, let rest else {
            phase = .lingering
            return .linger
        }
        requestEnded = true
        phase = rest > 0 ? .discarding : .idle
        return rest > 0 ? .discardBody : .nextRequest
    }

    /// The gateway ends an idle connection; false if it is not idle.
    mutating func leaves() -> Bool {
        guard phase == .idle else { return false }
        phase = .lingering
        return true
    }

    /// The unwanted body is over.
    mutating func discardingEnded() {
        if phase == .discarding { phase = .idle }
    }

    /// So many bytes came after the last answer; whether to go on reading.
    mutating func lingers(byteCount: Int) -> Bool {
        lingeredBytes &+= byteCount
        return lingeredBytes <= lingerLimit
    }

    /// The channel is gone; what it was doing.
    mutating func closes() -> Phase {
        defer { phase = .closed }
        return phase
    }

    // MARK: Failures

    /// Everything that came is used up, and nothing more will come.
    func starved(isEmpty: Bool) -> Failure {
        guard inputEnded else { return .none }
        switch phase {
        case .idle: return isEmpty ? .close : .none
        case .head: return .answer(.badRequest)
        case .forwarding where !requestEnded && isEmpty: return responseBegan ? .abort : .answer(.badRequest)
        case .discarding where isEmpty: return .close
        case .tunnel where isEmpty: return .halfClose
        case .judging, .forwarding, .tunnel, .discarding, .lingering, .closed: return .none
        }
    }

    /// The connection's deadline passed.
    ///
    /// - Parameter upstreamStalls: whether it is the upstream that does not take what the client sent.
    func deadlinePassed(upstreamStalls: Bool) -> Failure {
        switch phase {
        case .idle, .discarding, .lingering, .tunnel: .close
        case .head: .answer(.requestTimeout)
        case .forwarding where responseBegan: .abort
        case .forwarding where requestEnded || upstreamStalls: .answer(.upstreamTimeout)
        case .forwarding: .answer(.requestTimeout)
        case .judging, .closed: .none
        }
    }

    /// The upstream failed for good.
    func upstreamFailed(_ reason: RejectionReason) -> Failure {
        guard phase == .forwarding else { return .none }
        return responseBegan ? .abort : .answer(reason)
    }
}
