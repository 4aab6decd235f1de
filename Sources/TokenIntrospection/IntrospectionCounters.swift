import MetricFamilies

/// Counters of introspection at one issuer since the process started.
public struct IntrospectionCounters: Sendable, Hashable {
    /// Questions that were sent to the issuer.
    public var asked: UInt64 = 0
    /// Questions that the issuer answered.
    public var answered: UInt64 = 0
    /// Questions that were sent and got no usable answer.
    public var failures: UInt64 = 0
    /// Requests that waited for a question of another request about the same token.
    public var joined: UInt64 = 0
    /// Requests that the lifecycle answered from its cache. Requests that found the answer in ``IntrospectionStore``
    /// are not counted.
    public var fromCache: UInt64 = 0
    /// Requests answered 503 without a question: during a pause, or beyond a limit.
    public var turnedAway: UInt64 = 0

    public init() {}

    /// - Parameter issuers: the name and counters of each issuer; the name is the label.
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
