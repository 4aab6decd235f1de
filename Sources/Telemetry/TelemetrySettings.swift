import NetworkNames

/// Settings of what is exported to OpenTelemetry, and where to.
public struct TelemetrySettings: Sendable, Hashable {
    public var collector: CollectorSettings
    /// Settings of traces. Nil if no span is exported.
    public var traces: TracingSettings?
    /// Time between two exports of metrics. Nil if none are exported.
    public var metricsInterval: Duration?
    /// Value of `service.name`.
    public var serviceName = "bearward"

    public init(collector: CollectorSettings) {
        self.collector = collector
    }
}

/// A collector that takes OTLP over HTTP.
public struct CollectorSettings: Sendable, Hashable {
    /// URL below which are `/v1/traces` and `/v1/metrics`.
    public let endpoint: HTTPURL
    /// File with fields that every request has. Nil if there is none.
    public var headersFile: String?
    /// File with the trust anchors in PEM. Nil for those of the system.
    public var caFile: String?

    public init(endpoint: HTTPURL) {
        self.endpoint = endpoint
    }

    /// URL of one signal.
    public func url(of signal: TelemetrySignal) -> String {
        let base = endpoint.text
        return (base.hasSuffix("/") ? String(base.dropLast()) : base) + signal.path
    }
}

/// Kind of data in OpenTelemetry.
public enum TelemetrySignal: String, Sendable, CaseIterable {
    case traces, metrics

    /// Path below a collector's endpoint (OTLP 1.x, "OTLP/HTTP Request").
    public var path: String { "/v1/\(rawValue)" }
}
