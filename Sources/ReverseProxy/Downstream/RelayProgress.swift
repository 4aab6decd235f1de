import HTTPMessages
import RequestAuthorization

/// What a request needs on its way to an upstream and back, besides what is recorded of it.
struct RelayProgress {
    var method = RequestMethod.other
    var peerIsTrusted = false
    var forwarding: Forwarding?
    var pool: TargetPool?
    var attempts = 0
    /// When the present attempt began; monotonic, in nanoseconds. nil: it has its outcome, or there is none.
    var attemptStartedAt: Int64?
    /// What another attempt would send again of its body.
    var held = HeldBody()
    /// Whether it counts among those with an upstream.
    var isInFlight = false
    /// The client's `Sec-WebSocket-Key`; nil if it sent none, or its resource does not allow WebSockets.
    var webSocketKey: String?
    /// State of an open-ended exchange (gRPC, events, WebSocket); nil for an ordinary one.
    var streaming: StreamingExchange?
    /// How fast its body is received.
    var bodyRate = BodyRate()

    /// Whether `stream_idle` applies instead of `body_idle`.
    var usesStreamIdle: Bool { streaming?.isPatient ?? false }
}

/// The methods that the relay treats in their own way; all others are treated alike.
enum RequestMethod: Hashable {
    case get, head, options, other

    init(_ method: Span<UInt8>) {
        switch method.count {
        case 3 where Self.isEqual(method, "GET"): self = .get
        case 4 where Self.isEqual(method, "HEAD"): self = .head
        case 7 where Self.isEqual(method, "OPTIONS"): self = .options
        default: self = .other
        }
    }

    /// Whether a request without a body may be sent again though its first sending may have had an effect.
    var isReplayable: Bool { self != .other }

    private static func isEqual(_ method: Span<UInt8>, _ name: String) -> Bool {
        let name = name.utf8.span
        guard method.count == name.count else { return false }
        for index in method.indices where method[index] != name[index] { return false }
        return true
    }
}
