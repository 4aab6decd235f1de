import ConfigurationFile
import MetricFamilies

extension WeakeningSetting {
    /// Family of the settings, each with the number of its places in the file.
    static func family(of counts: [WeakeningSetting: Int]) -> MetricFamily {
        .gauge(
            "bearward_weakening_settings",
            "Settings in force that weaken a check or give something away, by key; check warns of each.",
            allCases.map { MetricFamily.Sample(counts[$0] ?? 0, [("key", $0.rawValue)]) })
    }
}
