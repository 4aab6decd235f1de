import KeySets
import MetricFamilies

/// State of the realms of one issuer.
public struct RealmsStatus: Sendable, Hashable {
    public let pattern: String
    /// Number of realms that have a place.
    public let places: Int
    public let most: Int
    public let counters: RealmAdmissions.Counters

    public init(pattern: String, places: Int, most: Int, counters: RealmAdmissions.Counters) {
        self.pattern = pattern
        self.places = places
        self.most = most
        self.counters = counters
    }
}

extension RealmsStatus {
    /// - Parameter issuers: names of issuers with the states of their realms.
    public static func families(of issuers: [(name: String, realms: RealmsStatus)]) -> [MetricFamily] {
        guard !issuers.isEmpty else { return [] }
        return [
            .gauge(
                "bearward_realms", "Realms of the issuer that have a place: their keys are held.",
                issuers.map { MetricFamily.Sample(Double($0.realms.places), [("issuer", $0.name)]) }),
            .counter(
                "bearward_unknown_realms_total",
                "Fetches for realms without a place, by outcome, and requests for such realms that caused none.",
                issuers.flatMap { name, realms in
                    realms.counters.named.map { event, total in
                        MetricFamily.Sample(Double(total), [("issuer", name), ("event", event)])
                    }
                }),
        ]
    }
}
