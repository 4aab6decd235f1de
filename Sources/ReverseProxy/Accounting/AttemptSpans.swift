import Telemetry

/// Spans of the attempts to get one request answered.
struct AttemptSpans {
    struct Attempt {
        let span: SpanID
        /// Host and port of the target.
        let target: [UInt8]
        /// Monotonic, in nanoseconds.
        let startedAt: Int64
        /// When it failed. Nil if it did not; it then ended with the request.
        var failedAt: Int64?
        /// Status of the response. Nil without one.
        var status: Int?
        /// Cause of its failure. Nil if it did not fail.
        var outcome: UpstreamOutcome?
    }

    /// Attempts before the last one.
    private(set) var earlier: [Attempt] = []
    private(set) var last: Attempt?

    mutating func began(_ span: SpanID, at target: [UInt8], _ now: Int64) {
        if let last { earlier.append(last) }
        last = Attempt(span: span, target: target, startedAt: now)
    }

    mutating func answered(_ status: Int) { last?.status = status }

    mutating func failed(_ outcome: UpstreamOutcome) {
        guard last != nil else { return }
        last?.outcome = outcome
        last?.failedAt = EventLoopClock.now()
    }
}
