import HTTPMessages
import RequestAuthorization
import Telemetry

/// Traces of requests.
extension RequestExchange {
    /// Begins the trace of a request that is about to be judged, unless that has happened before.
    @inline(__always)
    func beginTrace(at now: Int64) {
        guard let sample = configuration.sample, record.trace == nil else { return }
        // The check for the field avoids copying the head.
        if request.head.contains(.traceparent), let received = TraceContext(in: request.head),
            let tracing = configuration.tracing
        {
            record.trace = RequestTrace(
                received, from: hop.address.peerAddress, as: record.requestID, tracing, at: now,
                using: &loop.requestIDs)
        } else {
            beginOwnTrace(sample, at: now)
        }
    }

    @inline(__always)
    private func beginOwnTrace(_ sample: TracingSettings.Share, at now: Int64) {
        record.trace = RequestTrace(
            as: record.requestID, sample, configuration.tracing, at: now, using: &loop.requestIDs)
    }

    /// Appends the spans of a finished request if it is recorded, or was refused and is recorded for that.
    @inline(__always)
    func endTrace(_ sample: TracingSettings.Share, at now: Int64) {
        let isUnrecorded = record.trace?.isRecorded == false
        if isUnrecorded, !record.isRefused { return }
        endRecordedTrace(sample, at: now)
    }

    private func endRecordedTrace(_ sample: TracingSettings.Share, at now: Int64) {
        // A request that was never judged belongs to no other trace.
        if record.trace == nil { beginOwnTrace(sample, at: now) }
        if record.isRefused, let tracing = configuration.tracing { record.trace?.decideRefused(tracing, at: now) }
        guard record.trace?.isRecorded == true else { return }
        let connection = SpanConnection(client: shownClient.text, isSecure: hop.isSecure)
        loop.appendSpans(of: record, &request, connection, at: now)
    }
}
