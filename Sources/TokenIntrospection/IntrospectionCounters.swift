import MetricFamilies

/// Counts of introspection since the beginning.
public struct IntrospectionCounters: Sendable, Hashable {
    /// Questions that went out to the issuer.
    public var asked: UInt64 = 0
    /// Questions that the issuer answered.
    public var answered: UInt64 = 0
    /// Questions that went out and got no answer.
    public var failures: UInt64 = 0
    /// Requests that waited for a question that another had caused.
    public var joined: UInt64 = 0
    /// Requests answered from what is kept; those that read ``IntrospectionStore`` themselves are not among them.
    public var fromCache: UInt64 = 0
    /// Requests turned away unasked: during a pause, or beyond a limit.
    public var turnedAway: UInt64 = 0

    public init() {}

    /// - Parameter samples: those of one issuer after the other, with its label.
    public static func families(_ issuers: [(name: String, counters: IntrospectionCounters)]) -> [MetricFamily] {
        [
            .counter(
                "bearward_introspection_requests_total", "Introspection requests to an issuer, by result.",
                issuers.flatMap { issuer, counters in
                    [("answered", counters.answered), ("failed", counters.failures)].map { result, count in
                        MetricFamily.Sample(count, [("issuer", issuer), ("result", result)])
                    }
                }),
            .counter(
                "bearward_introspection_turned_away_total",
                "Requests of clients answered 503 without introspection, because the circuit breaker was open or a limit was hit.",
                issuers.map { MetricFamily.Sample($0.counters.turnedAway, [("issuer", $0.name)]) }),
        ]
    }
}
