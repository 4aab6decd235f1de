import AuthorizationDoors
import HTTPMessages
import RequestAuthorization
import TokenVerification

/// Data of one request for the access log and the metrics.
struct RequestRecord: ~Copyable {
    /// Number of the request on its event loop. Tells an awaited answer for it from one for an earlier request.
    let number: UInt64
    /// Configuration generation that judges and forwards the request: the one in force when its head is complete.
    var configuration: ProxyConfiguration
    /// Time when its first byte was received; monotonic, in nanoseconds.
    let startedAt: Int64
    /// True if its head was parsed. Otherwise little is known about the request.
    var hasHead = false
    var requestID = RequestID.made(0, 0)
    /// Trace of the request. Nil without tracing, and before its head is judged.
    var trace: RequestTrace?
    /// True if its connection asked for a client certificate.
    var asksForCertificate = false
    /// Facts that the verdict is based on. Nil before the verdict.
    var facts: AuthorizationFacts?
    /// Kind of the forward auth listener (door) at which a proxy asked about the request. Nil if its client sent it
    /// here.
    var door: DoorKind?
    /// True if the answer at the door permits the proxy to forward the request.
    var isPermission = false
    /// Reason why the gateway answered the request itself, or broke off its response. Nil if it was forwarded and
    /// answered.
    var reason: RejectionReason?
    /// Error in the request's head, or in the head that a proxy stated at a door. Nil if none was found.
    var headFault: HeadFault?
    /// True if it is left out of the access log, because enough similar requests were logged.
    var isUnlogged = false
    /// Verdict under the file of `--shadow`. Nil if it is the same, or there is no such file.
    var shadowVerdict: Verdict?
    /// Status sent to the client. Nil if none was sent.
    var status: Int?
    /// Time at which the gateway ended its stream, because the permission ended. Nil for any other end.
    var streamEnd: NumericDate?
    /// True if it ended without a complete answer because the client left or was too slow.
    var isCutOff = false

    /// Target that the request was sent to, as `host:port`. Nil if it was sent to none.
    var upstream: [UInt8]?
    var upstreamStatus: Int?
    /// Cause of the last failed attempt, or of a missing target. Logged only if `reason` is about the upstream. Nil if
    /// no attempt failed, or a limit of the gateway then refused the request.
    var upstreamError: String?
    /// Time when the request was first forwarded; monotonic, in nanoseconds. Nil if it was not.
    var forwardedAt: Int64?
    var upstreamEndedAt: Int64?

    /// Bytes received on the wire: head, body and framing.
    var bytesIn = 0
    var bytesOut = 0

    init(number: UInt64, configuration: ProxyConfiguration, startedAt: Int64) {
        self.number = number
        self.configuration = configuration
        self.startedAt = startedAt
    }

    /// True if the gateway refused the request, or would have refused it, had its rule not been in observe mode.
    var isRefused: Bool {
        switch reason {
        case nil: facts?.would != nil
        case .preflight: false
        default: true
        }
    }

    /// Verdict that would have applied, had the rule not been in observe mode, or under `--shadow`. Observe mode comes
    /// first: it lets requests in, so the log must not lose it. Nil if no other verdict would have applied.
    var would: WouldBeVerdict? {
        if let would = facts?.would { return WouldBeVerdict(verdict: .answered(would), judge: .observe) }
        return shadowVerdict.map { WouldBeVerdict(verdict: $0, judge: .shadow) }
    }
}
