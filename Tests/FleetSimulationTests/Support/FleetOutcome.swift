/// Outcome of one scenario: a row of the page.
struct FleetOutcome: Sendable, Hashable {
    let name: String
    /// Fetches from the one issuer by all nodes. Nil if that is not measured.
    var fetches: Int?
    /// Fetches within the busiest second.
    var peak: Int?
    /// The same after all nodes had keys, where that is asked.
    var laterPeak: Int?
    /// Requests that are good at the time, and those of them that were not forwarded.
    let good: Int64
    let goodRefused: Int64
    /// Requests that were no longer good and were forwarded before the last node knew. Nil if there were none.
    var badForwarded: Int64?
    /// Time from the event, or the end of an outage, until the last node was up to date, in nanoseconds. Nil if it
    /// never was.
    var converged: Int64?
    /// Spans whose requests were counted as one although they were not alike.
    var unexplained = 0
}
