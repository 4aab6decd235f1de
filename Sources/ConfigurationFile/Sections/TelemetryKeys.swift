import NetworkNames
import Telemetry

/// Configuration keys of `telemetry`.
final class TelemetryKeys: SectionKeys {
    static let section = SectionReference(
        "telemetry", "Traces and metrics for OpenTelemetry. Without it nothing is exported.", of: TelemetryKeys.self)

    let collector = Key(
        "otlp", KeyForm(.section(CollectorKeys.section), TelemetryReader.collector),
        .refused(hint: "write `otlp: {endpoint: \"http://127.0.0.1:4318\"}`"), CollectorKeys.section.text,
        example: "{endpoint: \"https://otel.example.com:4318\"}")
    let traces = Key(
        "traces", KeyForm<TracingSettings>.settings(TraceKeys.self), .meaning("no span is exported"),
        TraceKeys.section.text,
        example: "{sample: 1%, trust_parent: [10.0.0.0/8]}")
    let metrics = Key(
        "metrics", KeyForm(.section(ExportedMetricsKeys.section), TelemetryReader.interval),
        .meaning("no metrics are exported"), ExportedMetricsKeys.section.text, example: "{every: 1m}")
    let serviceName = Key(
        "service_name", .text("a name"), default: "bearward", "The `service.name` of everything exported.",
        example: "shop-gateway")
}

/// Configuration keys of `otlp`.
final class CollectorKeys: SectionKeys {
    static let section = SectionReference(
        "otlp", "The collector, which takes OTLP over HTTP with protobuf.", of: CollectorKeys.self)

    let endpoint = Key(
        "endpoint", KeyForm(.text("a URL"), TelemetryReader.endpoint),
        .refused(hint: "write `http://127.0.0.1:4318`"),
        "Its URL; `/v1/traces` and `/v1/metrics` are appended. Over `http://`, others on the network path can read all of it.",
        example: "https://otel.example.com:4318")
    let headersFile = Key(
        "headers_file", KeyForm(.text("a path"), TelemetryReader.headersFile), .meaning("none are sent"),
        "A file with header fields that every request has, one a line: `name: value`. It is read again every minute.",
        example: "./otel-headers")
    let caFile = Key(
        "ca_file", KeyForm(.text("a path")) { $0.certificateFile() }, .meaning("it is the system's list"),
        "The authorities in PEM that its certificate must come from.", example: "./ca.pem")
}

extension TracingSettings: Defaulted {
    static var defaults: Self { Self() }
}

/// Configuration keys of `traces`.
final class TraceKeys: SectionKeys {
    static let section = SectionReference(
        "traces",
        "A span for each request, with the verdict, and one for each attempt at an upstream. "
            + "Upstreams get a `traceparent`, and the access log has `trace_id`.",
        of: TraceKeys.self)

    private static let share = KeyForm(
        .pattern("a percentage such as `1%` or `0.1%`", #"^(100|[0-9]{1,2}(\.[0-9]{1,4})?)%$"#), TelemetryReader.share
    ) { .value($0.text) }

    let sample = Setting(
        "sample", \TracingSettings.sample, TraceKeys.share, "Share of the requests that are recorded.", example: "5%")
    let refused = Setting(
        "refused", \TracingSettings.refused, TraceKeys.share,
        "Share of the refused requests that are recorded besides, also those that fail at the upstream.",
        example: "10%")
    let most = Setting(
        "most", \TracingSettings.most,
        KeyForm(.pattern("a number a second, such as `200/s`", "^[1-9][0-9]{0,5}/s$"), TelemetryReader.rate) {
            .value("\($0)/s")
        },
        "Most requests recorded in a second. Sampled and refused ones each have this limit.", example: "1000/s")
    let trustedParents = Setting(
        "trust_parent", \TracingSettings.trustedParents,
        KeyForm(.list(WideRangeKeys.form, mayBeEmpty: true)) { $0.addressRanges().warned(.stateTraces) },
        without: .meaning("every request begins a trace"),
        "Peers whose `traceparent` is continued and decides about sampling. Any other is only linked; "
            + "its sender's `tracestate`, `baggage` and other trace headers are removed.",
        example: "[10.0.0.0/8]")
}

/// Configuration keys of `metrics`.
final class ExportedMetricsKeys: SectionKeys {
    static let section = SectionReference(
        "metrics", "Exports what `/metrics` shows, with the same names and labels.", of: ExportedMetricsKeys.self)

    let every = Key(
        "every", .duration(.seconds(1) ... .seconds(3600)), default: .seconds(30), "Time between two exports.",
        example: "1m")
}
