import MetricFamilies
import RequestAuthorization
import TokenVerification

/// Metrics of a gateway, in the order of `/metrics`; those of the file of `--shadow` itself stand between the two.
extension Gateway {
    public func trafficFamilies(at now: NumericDate) -> [MetricFamily] {
        state.trafficFamilies(
            observedRules: configuration.authorizer.resources.reduce(0) { $0 + $1.observedRuleCount(at: now) })
    }

    /// - Parameter isShadowed: whether there is a file of `--shadow`.
    public func requestFamilies(isShadowed: Bool) -> [MetricFamily] {
        state.shadowCounts.families(isUsed: isShadowed) + state.requestCounts.families + state.attempts.families
            + UpstreamReport.families(of: upstreams)
    }
}
