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
    /// Names that are too short for the table.
    static let shortNames: [StaticString] = ["b3", "sw8"]
}

extension MessageHead {
    /// True if a tracing system passes a trace on by the field. Such fields resemble one of the names, or are it.
    public func isTraceField(_ field: HeaderField) -> Bool { section.isTraceField(field) }
}

extension HeaderSection {
    func isTraceField(_ field: HeaderField) -> Bool {
        guard field.name.upperBound <= bytes.count else { return false }
        guard field.name.count > 3 else {
            return TraceField.shortNames.contains { equals(field.name, ignoringCase: $0) }
        }
        return ProxyFieldTable.traces.entry(bytes.span.extracting(field.name)) != nil
    }
}
