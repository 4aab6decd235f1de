import KeySets
import MetricFamilies
import NetworkNames
import TokenIntrospection
import TokenVerification

/// State of introspection at one issuer, for `/readyz` and metrics.
public struct IntrospectionStatus: Sendable, Hashable {
    public var issuer: String
    /// The introspection endpoint. Nil if it has not been learnt yet, or was forgotten after a failure.
    public var endpoint: HTTPURL?
    public var counters: IntrospectionCounters
    /// Number of cached answers.
    public var keptAnswers: Int
    /// Number of lookups that found a cached answer.
    public var cacheHits: UInt64
    /// Number of lookups that found no cached answer.
    public var cacheMisses: UInt64
    /// Number of introspection requests under way.
    public var questionsUnderWay: Int
    /// Number of requests of clients that wait for an answer.
    public var requestsWaiting: Int
    /// True during a pause after failures, and while a single trial request is under way.
    public var isPaused: Bool
    /// Time at which the next introspection request may be sent. Nil if it may be sent now.
    public var nextQuestion: NumericDate?
    /// Cause of the last introspection request's failure. Nil if it succeeded.
    public var lastFailure: IntrospectionFailure?
    /// Time of the issuer's last answer. Nil if there was none.
    public var lastSuccess: NumericDate?
}

extension IntrospectionStatus {
    /// - Parameter issuers: status of each issuer with introspection, in the order of the configuration.
    public static func families(of issuers: [IntrospectionStatus]) -> [MetricFamily] {
        func samples(_ value: (IntrospectionStatus) -> UInt64) -> [MetricFamily.Sample] {
            issuers.map { MetricFamily.Sample(value($0), [("issuer", $0.issuer)]) }
        }
        let counted = IntrospectionCounters.families(issuers.map { ($0.issuer, $0.counters) })
        // The output has the gauges after the first counter.
        return Array(counted.prefix(1)) + [
            .gauge(
                "bearward_introspection_requests_in_flight", "Introspection requests to an issuer that are under way.",
                samples { UInt64(clamping: $0.questionsUnderWay) }),
            .gauge(
                "bearward_introspection_waiting", "Requests of clients that wait for an issuer's introspection answer.",
                samples { UInt64(clamping: $0.requestsWaiting) }),
        ] + counted.dropFirst() + [
            .gauge(
                "bearward_introspection_breaker_open",
                "1 while introspection at an issuer is suspended after repeated failures, or a single trial request is under way.",
                samples { $0.isPaused ? 1 : 0 }),
            .gauge(
                "bearward_introspection_cache_entries", "Introspection answers in the cache.",
                samples { UInt64(clamping: $0.keptAnswers) }),
            .counter(
                "bearward_introspection_cache_hits_total",
                "Lookups of opaque tokens that the cache of introspection answers had.", samples(\.cacheHits)),
            .counter(
                "bearward_introspection_cache_misses_total",
                "Lookups of opaque tokens that the cache of introspection answers did not have.", samples(\.cacheMisses)
            ),
        ]
    }
}
