/// Outcome of one scenario: a row of the page.
struct FleetOutcome: Sendable, Hashable {
    let name: String
    /// Fetches from the one issuer by all nodes. Nil if that is not measured.
    var fetches: Int?
    /// Number of fetches within the busiest second.
    var peak: Int?
    /// Number of fetches within the busiest second after all nodes had keys. Nil if not measured.
    var laterPeak: Int?
    /// Numbers of requests that were valid at the time, and of those among them that were not forwarded.
    let good: Int64
    let goodRefused: Int64
    /// Requests that were no longer valid but were forwarded before the last node was up to date. Nil if there were
    /// none.
    var badForwarded: Int64?
    /// Time from the event, or the end of an outage, until the last node was up to date, in nanoseconds. Nil if it
    /// never was.
    var converged: Int64?
    /// Time spans whose requests were counted as one although their outcomes differed.
    var unexplained = 0
}
