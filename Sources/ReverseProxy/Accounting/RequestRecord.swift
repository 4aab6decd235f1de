import AuthorizationDoors
import HTTPMessages
import RequestAuthorization

/// The data of one request for the access log and the metrics.
struct RequestRecord: ~Copyable {
    /// Distinguishes answers to this request's questions from answers to an earlier request's.
    let number: UInt64
    /// The generation that judges and forwards it: the one that runs when its head is complete.
    var configuration: ProxyConfiguration
    /// When its first byte was received; monotonic, in nanoseconds.
    let startedAt: Int64
    /// Whether its head was parsed; if not, little is known about it.
    var hasHead = false
    var requestID = RequestID.made(0, 0)
    /// Whether its client could show a certificate.
    var asksForCertificate = false
    /// What the verdict was based on; nil before there is one.
    var facts: AuthorizationFacts?
    /// The door at which a proxy asked; nil: its client sent it.
    var door: DoorKind?
    /// Whether that proxy may forward it.
    var isPermission = false
    /// Why the gateway answered the request itself.
    var reason: RejectionReason?
    /// What is wrong with its head, or with the one that was stated at a door.
    var headFault: HeadFault?
    /// Whether it is left out of the access log, because enough of its kind are in it.
    var isUnlogged = false
    /// What would have become of it under the file of `--shadow`; nil: the same, or there is none.
    var shadowVerdict: Verdict?
    /// The status that the client got.
    var status: Int?
    /// Whether it ended without a complete answer because the client went away, or took too long.
    var isCutOff = false

    /// The target that it was sent to, as `host:port`.
    var upstream: [UInt8]?
    var upstreamStatus: Int?
    /// The cause of the last attempt that failed; logged only if `reason` is about the upstream.
    var upstreamError: String?
    /// Monotonic, in nanoseconds.
    var forwardedAt: Int64?
    var upstreamEndedAt: Int64?

    /// Heads, bodies and their framing, as they were on the wire.
    var bytesIn = 0
    var bytesOut = 0

    init(number: UInt64, configuration: ProxyConfiguration, startedAt: Int64) {
        self.number = number
        self.configuration = configuration
        self.startedAt = startedAt
    }

    /// What would have become of it. That a rule is only observed lets requests in, so it is what the log must not
    /// lose.
    var would: WouldBeVerdict? {
        if let would = facts?.would { return WouldBeVerdict(verdict: .answered(would), judge: .observe) }
        return shadowVerdict.map { WouldBeVerdict(verdict: $0, judge: .shadow) }
    }
}
