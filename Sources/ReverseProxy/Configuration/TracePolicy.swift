import NetworkNames
import Telemetry

/// Choice of the requests that are recorded under one configuration.
final class TracePolicy: Sendable {
    let settings: TracingSettings
    /// Rate of the requests that were chosen by `sample`, or by a trusted peer.
    let sampled: SpanRate
    /// Rate of the refused requests, so that traffic cannot crowd them out.
    let refused: SpanRate

    init(_ settings: TracingSettings) {
        self.settings = settings
        sampled = SpanRate(most: settings.most)
        refused = SpanRate(most: settings.most)
    }

    /// True if the peer's traces are continued.
    func trusts(_ peer: IPAddress?) -> Bool {
        guard let peer else { return false }
        return settings.trustedParents.contains { $0.contains(peer) }
    }
}
