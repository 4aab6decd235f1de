import HTTPMessages
import RequestAuthorization

/// One request and its answer, as far as they have come: what the log will say, and what another attempt needs.
struct Exchange {
    /// Tells an answer to an earlier request's question from one to this one's.
    let number: UInt64
    /// The generation that judges and forwards it: the one that runs when its head is complete.
    var configuration: ProxyConfiguration
    /// Monotonic, in nanoseconds: when its first byte was there.
    let startedAt: Int64
    var method = RequestMethod.other
    /// Whether its head was parsed; if not, little can be said about it.
    var hasHead = false
    var requestID: RequestID
    var peerIsTrusted = false
    /// Whether it is a stream of HTTP/2.
    var isStream = false
    /// Whether its client could show a certificate.
    var asksForCertificate = false
    /// What the verdict was based on; nil before there is one.
    var facts: AuthorizationFacts?
    var forwarding: Forwarding?
    /// Why we answered ourselves.
    var reason: RejectionReason?
    /// The status that the client got.
    var status: Int?
    var plan = ResponsePlan(.none, status: 200, to: .http11, keepsAlive: false)

    // The upstream
    var pool: TargetPool?
    var attempts = 0
    /// What another attempt would send again of its body.
    var held = HeldBody()
    /// Whether it counts among those with an upstream.
    var isInFlight = false
    var forwardedAt: Int64?
    var upstreamEndedAt: Int64?
    var upstreamStatus: Int?

    /// With what its client asks for the WebSocket protocol, if its resource allows that.
    var webSocketKey: String?
    /// What is different about it if it has no end in sight.
    var streaming: StreamingExchange?
    var isPatient: Bool { streaming?.isPatient ?? false }
    /// How long a part of its body may be waited for.
    var pause: TickCount { isPatient ? configuration.deadlines.streamIdle : configuration.deadlines.bodyIdle }

    /// How fast its body comes.
    var bodyRate = BodyRate()
    /// Whether it ended without a complete answer because the client went away, or took too long.
    var isCutOff = false

    /// Heads, bodies and their framing, as they were on the wire.
    var bytesIn = 0
    var bytesOut = 0

    init(number: UInt64, configuration: ProxyConfiguration, startedAt: Int64, requestID: RequestID) {
        self.number = number
        self.configuration = configuration
        self.startedAt = startedAt
        self.requestID = requestID
    }
}

/// The methods that the relay treats in their own way; all others are alike to it.
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
