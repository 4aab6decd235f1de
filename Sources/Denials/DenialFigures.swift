import DenyLists
import MetricFamilies

/// State of the deny list, for metrics.
public struct DenialFigures: Sendable, Hashable {
    /// Entries that deny something now.
    public let counts: [DenySource: Int]
    /// Time since the list in force was what the file says. Nil if there is no file.
    public let fileAge: Duration?
    public let fileFailures: UInt64
    /// Time since all that other gateways decided was known. Nil if they share nothing, or it never was.
    public let peersAge: Duration?

    /// - Parameter figures: nil without a deny list.
    public static func families(of figures: DenialFigures?) -> [MetricFamily] {
        [
            .gauge(
                "bearward_deny_list_entries",
                "Entries of the deny list that are in force, by source: the file, or the admin listener.",
                figures.map { figures in
                    DenySource.allCases.map { MetricFamily.Sample(figures.counts[$0] ?? 0, [("source", $0.rawValue)]) }
                } ?? []),
            .gauge(
                "bearward_deny_list_age_seconds",
                "Seconds since the list in force was what `deny_file` says; it grows while the file is broken or gone.",
                figures?.fileAge.map { $0 / .seconds(1) }),
            .gauge(
                "bearward_deny_list_shared_age_seconds",
                "Seconds since all denials were known that other gateways share; it grows while `shared_state` does not answer.",
                figures?.peersAge.map { $0 / .seconds(1) }),
            .counter(
                "bearward_deny_list_errors_total",
                "Times that `deny_file` was found broken or gone, so that the last list stayed.", figures?.fileFailures),
        ]
    }
}
