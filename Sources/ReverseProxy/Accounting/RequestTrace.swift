import HTTPMessages
import NetworkNames
import Telemetry

/// Trace of one request: its span, the span that it belongs to, and its attempts at upstreams.
struct RequestTrace {
    /// The request's own span. Its flag is set once ``decide(_:at:)`` chose the request.
    private(set) var context: TraceContext
    /// Span of a trusted peer, whose trace is continued. Nil if this request begins its trace.
    let parent: TraceContext?
    /// Span that an untrusted client named. It determines nothing here. Nil if the client named none.
    let link: TraceContext?
    /// True once it is decided whether the request is recorded.
    private var isDecided = false
    /// Attempts of a request whose forwarding ended.
    var attempts = AttemptSpans()

    /// Begins the trace of a request whose head was read.
    ///
    /// - Parameter peer: address of the sender. A proxy at a forward auth listener (door) is the sender.
    init(
        of head: RequestHead, from peer: IPAddress?, _ settings: TracingSettings,
        using random: inout some RandomNumberGenerator
    ) {
        let received = head.contains(.traceparent) ? TraceContext(in: head) : nil
        let isTrusted =
            received != nil && peer.map { peer in settings.trustedParents.contains { $0.contains(peer) } } ?? false
        parent = isTrusted ? received : nil
        link = isTrusted ? nil : received
        let trace = parent?.trace ?? TraceID(random.next(), random.next())
        context = TraceContext(trace, SpanID(random.next()), isSampled: false)
    }

    /// Begins the trace of a request whose head could not be read.
    init(using random: inout some RandomNumberGenerator) {
        (parent, link) = (nil, nil)
        context = TraceContext(
            TraceID(random.next(), random.next()), SpanID(random.next()), isSampled: false)
    }

    /// Decides whether the request is recorded, unless that was decided before.
    ///
    /// - Parameter now: monotonic, in nanoseconds.
    mutating func decide(_ policy: TracePolicy, at now: Int64) {
        guard !isDecided else { return }
        isDecided = true
        // Every gateway and service decides the same for one trace.
        let isChosen = parent?.isSampled ?? policy.settings.sample.has(context.trace.low)
        if isChosen, policy.sampled.take(at: now) { record() }
    }

    /// Decides whether a request is recorded that was refused, and not recorded otherwise.
    mutating func decideRefused(_ policy: TracePolicy, at now: Int64) {
        guard !context.isSampled, policy.settings.refused.has(context.span.bits), policy.refused.take(at: now) else {
            return
        }
        record()
    }

    private mutating func record() {
        context = TraceContext(context.trace, context.span, isSampled: true)
    }

    /// Trace fields that an upstream gets.
    ///
    /// - Parameter span: span of the attempt.
    func forwarded(under span: SpanID) -> ForwardedTrace {
        // A span that is not recorded must not stand between two that are.
        if parent != nil, !context.isSampled { return .received }
        return .own(
            TraceContext(context.trace, span, isSampled: context.isSampled), keepsOthers: parent != nil)
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
