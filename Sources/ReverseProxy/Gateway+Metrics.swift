import MetricFamilies
import RequestAuthorization
import TokenVerification

/// Metrics of a gateway, in the order of `/metrics`. The shadow policy's own metrics come between the two groups.
extension Gateway {
    public func trafficFamilies(at now: NumericDate) -> [MetricFamily] {
        state.trafficFamilies(
            observed: observedRules(at: now).map { ObservedRule(($0.resource, $0.rule), $0.until) })
    }

    /// - Parameter isShadowed: True if there is a file of `--shadow`.
    public func requestFamilies(isShadowed: Bool) -> [MetricFamily] {
        state.shadowCounts.families(isUsed: isShadowed) + state.requestCounts.families + state.attempts.families
            + UpstreamReport.families(of: upstreams)
    }
}
