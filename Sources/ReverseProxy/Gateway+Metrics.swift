import MetricFamilies
import RequestAuthorization
import TokenVerification

/// Metrics of a gateway, in the order of `/metrics`. The shadow policy's own metrics come between the two groups.
extension Gateway {
    public func trafficFamilies(at now: NumericDate) -> [MetricFamily] {
        let configuration = configuration
        let observed = configuration.authorizer.resources.indexed.flatMap { index, resource in
            resource.observedRules(at: now).map {
                ObservedRule(configuration.labels.names($0.rule, of: index), $0.until)
            }
        }
        return state.trafficFamilies(observed: observed)
    }

    /// - Parameter isShadowed: True if there is a file of `--shadow`.
    public func requestFamilies(isShadowed: Bool) -> [MetricFamily] {
        state.shadowCounts.families(isUsed: isShadowed) + state.requestCounts.families + state.attempts.families
            + UpstreamReport.families(of: upstreams)
    }
}
