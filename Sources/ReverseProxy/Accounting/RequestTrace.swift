import HTTPMessages
import NetworkNames
import Telemetry

/// Trace of one request: its span, the span that it belongs to, and its attempts at upstreams.
///
/// Small, because most requests are not recorded, and it is a part of each request's record.
struct RequestTrace {
    let trace: TraceID
    /// The request's own span.
    let span: SpanID
    /// True if the request was chosen when its trace began, or by ``decideRefused(_:at:)``.
    private(set) var isRecorded: Bool
    /// Properties that few requests have. Nil if this one has none of them.
    private var rare: Rare?

    private final class Rare {
        let parent: TraceContext?
        let link: TraceContext?

        init(parent: TraceContext?, link: TraceContext?) {
            self.parent = parent
            self.link = link
        }
    }

    /// Span of a trusted peer, whose trace is continued. Nil if this request begins its trace.
    var parent: TraceContext? { rare?.parent }
    /// Span that an untrusted client named. It determines nothing here. Nil if the client named none.
    var link: TraceContext? { rare?.link }
    /// Attempts of a request whose forwarding ended. Nil if none is known.
    var attempts: AttemptSpans?

    /// Begins a trace with a request, and decides whether it is recorded.
    ///
    /// - Parameters:
    ///   - id: identifier of the request. The trace has the same, unless it was received.
    ///   - sample: share of the requests that are recorded.
    ///   - now: monotonic, in nanoseconds.
    @inline(__always)
    init(
        as id: RequestID, _ sample: TracingSettings.Share, _ policy: @autoclosure () -> TracePolicy?, at now: Int64,
        using random: inout some RandomNumberGenerator
    ) {
        if case .made(let high, let low) = id {
            trace = TraceID(high, low)
        } else {
            trace = TraceID(random.next(), random.next())
        }
        // As random as its parts, and independent of the one that decides about the trace.
        span = SpanID(trace.high ^ trace.low)
        isRecorded = sample.has(trace.low) && policy()?.sampled.take(at: now) == true
    }

    /// Begins the trace of a request whose sender states a position in a trace.
    ///
    /// - Parameter peer: address of the sender. A proxy at a forward auth listener (door) is the sender.
    init(
        _ received: TraceContext, from peer: IPAddress?, as id: RequestID, _ policy: TracePolicy, at now: Int64,
        using random: inout some RandomNumberGenerator
    ) {
        guard policy.trusts(peer) else {
            self.init(as: id, policy.settings.sample, policy, at: now, using: &random)
            rare = Rare(parent: nil, link: received)
            return
        }
        // Every gateway and service decides the same for one trace.
        self.init(
            continuing: received, SpanID(random.next()), isRecorded: received.isSampled && policy.sampled.take(at: now))
    }

    private init(continuing parent: TraceContext, _ span: SpanID, isRecorded: Bool) {
        trace = parent.trace
        self.span = span
        self.isRecorded = isRecorded
        rare = Rare(parent: parent, link: nil)
    }

    /// Decides whether a request is recorded that was refused, and not recorded otherwise.
    mutating func decideRefused(_ policy: TracePolicy, at now: Int64) {
        guard !isRecorded else { return }
        isRecorded = policy.settings.refused.has(span.bits) && policy.refused.take(at: now)
    }

    /// Trace fields that an upstream gets.
    ///
    /// - Parameter attempt: span of the attempt. Nil if attempts are not recorded.
    @inline(__always)
    func forwarded(under attempt: SpanID?) -> ForwardedTrace {
        // A span that is not recorded must not stand between two that are.
        let isOfPeer = rare?.parent != nil
        if isOfPeer, !isRecorded { return .received }
        // Of a request that is not recorded, an attempt that failed has a span, but not the next one.
        let parent = isRecorded ? attempt ?? span : span
        return .own(TraceContext(trace, parent, isSampled: isRecorded), keepsOthers: isOfPeer)
    }
}

/// Trace fields of the request that an upstream gets.
enum ForwardedTrace {
    /// The fields that the client sent.
    case received
    /// A `traceparent` of the gateway's own.
    ///
    /// - Parameter keepsOthers: true if the client's `tracestate`, `baggage` and trace fields of other systems are
    ///   forwarded.
    case own(TraceContext, keepsOthers: Bool)
}
