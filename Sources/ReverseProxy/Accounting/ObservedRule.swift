import MetricFamilies
import TokenVerification

/// A rule in observe mode, and when it begins to refuse requests.
struct ObservedRule {
    private let names: (resource: String, rule: String)
    private let until: NumericDate

    init(_ names: (resource: String, rule: String), _ until: NumericDate) {
        (self.names, self.until) = (names, until)
    }

    var sample: MetricFamily.Sample {
        MetricFamily.Sample(until.seconds, [("resource", names.resource), ("rule", names.rule)])
    }
}
