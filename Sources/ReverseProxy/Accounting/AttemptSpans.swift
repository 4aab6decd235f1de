import ProxySettings
import Telemetry

/// Spans of the attempts to get one request answered. All of a request that is recorded; of another, those that failed.
final class AttemptSpans {
    struct Attempt {
        let span: SpanID
        let target: AttemptTarget
        /// Monotonic, in nanoseconds.
        let startedAt: Int64
        /// When it failed. Nil if it did not; it then ended with the request.
        var failedAt: Int64?
        /// Status of the response. Nil without one.
        var status: Int?
        /// Cause of its failure. Nil if it did not fail.
        var outcome: UpstreamOutcome?
    }

    /// The attempts before the last one. Most requests have none.
    private(set) var former: [Attempt] = []
    private(set) var last: Attempt
    /// True while the last attempt has no outcome.
    private var isOpen = true

    init(_ span: SpanID, at target: AttemptTarget, _ now: Int64) {
        last = Attempt(span: span, target: target, startedAt: now)
    }

    func began(_ span: SpanID, at target: AttemptTarget, _ now: Int64) {
        former.append(last)
        last = Attempt(span: span, target: target, startedAt: now)
        isOpen = true
    }

    func answered(_ status: Int) {
        if isOpen { last.status = status }
    }

    /// Notes a failure of the attempt that began last, or of one that was not noted when it began.
    func failed(_ outcome: UpstreamOutcome, at target: AttemptTarget, startedAt: Int64) {
        if !isOpen { began(.random(), at: target, startedAt) }
        isOpen = false
        last.outcome = outcome
        last.failedAt = EventLoopClock.now()
    }
}

/// Target of an attempt as spans have it.
final class AttemptTarget: Sendable {
    /// Host name, address or socket path.
    let host: [UInt8]
    /// Nil for a socket.
    let port: Int?

    init(_ target: UpstreamTarget) {
        host = Array((target.socketPath ?? target.ipAddress ?? target.host).utf8)
        port = target.socketPath == nil ? target.port : nil
    }
}

@available(*, unavailable)
extension AttemptSpans: Sendable {}
