/// Field names by which tracing systems pass a trace on, besides `traceparent` and `tracestate`.
///
/// A service believes them: a sender chooses what is recorded, and adds what it likes to a trace.
enum TraceField {
    /// A trailing `*` covers every name with that prefix.
    static let names = [
        // OpenTelemetry, and what W3C drafts.
        "baggage", "traceresponse", "grpc-trace-bin",
        // Zipkin, Jaeger, OpenTracing.
        "X-B3-*", "uber-trace-id", "uberctx-*", "jaeger-*", "X-OT-Span-Context", "ot-tracer-*", "ot-baggage-*",
        // AWS, Google Cloud.
        "X-Amzn-Trace-Id", "X-Cloud-Trace-Context",
        // Datadog, Dynatrace, Elastic, Instana, New Relic, Sentry, SkyWalking.
        "X-Datadog-*", "X-Dynatrace*", "elastic-apm-traceparent", "X-Instana-*", "newrelic", "X-NewRelic-*",
        "sentry-trace", "sw8-*",
    ]

    /// True for a name that is too short for the table.
    static func isShortName(_ name: Span<UInt8>) -> Bool {
        // `b3` of Zipkin, `sw8` of SkyWalking.
        name.equalsIgnoringCase("b3") || name.equalsIgnoringCase("sw8")
    }
}
