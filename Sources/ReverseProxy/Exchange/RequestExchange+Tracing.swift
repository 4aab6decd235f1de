import RequestAuthorization
import Telemetry

/// Traces of requests.
extension RequestExchange {
    /// Begins the trace of a request that is about to be judged, unless that has happened before.
    func beginTrace() {
        guard let tracing = configuration.tracing, record.trace == nil else { return }
        record.trace = RequestTrace(
            of: request.head, from: hop.address.peerAddress, tracing.settings, using: &loop.requestIDs)
    }

    /// Decides about a finished request, unless it was forwarded, and appends its spans if it is recorded.
    func endTrace(_ tracing: TracePolicy, at now: Int64) {
        // A request that was never judged belongs to no other trace.
        if record.trace == nil { record.trace = RequestTrace(using: &loop.requestIDs) }
        record.trace?.decide(tracing, at: now)
        if isRefused { record.trace?.decideRefused(tracing, at: now) }
        guard let trace = record.trace, trace.context.isSampled else { return }
        loop.append(trace, record, request, SpanConnection(client: shownClient, isSecure: hop.isSecure), at: now)
    }

    /// True if the gateway refused the request, or would have refused it, had its rule not been in observe mode.
    private var isRefused: Bool {
        switch record.reason {
        case nil: record.facts?.would != nil
        case .preflight: false
        default: true
        }
    }
}
