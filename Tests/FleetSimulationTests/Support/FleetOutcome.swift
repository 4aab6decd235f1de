/// What came of one scenario: a row of the page.
struct FleetOutcome: Sendable, Hashable {
    let name: String
    /// At the one issuer, from all nodes; nil: not what is tried.
    var fetches: Int?
    /// Of these, within the busiest second.
    var peak: Int?
    /// The same after all nodes had keys, where that is asked.
    var laterPeak: Int?
    /// Requests that are good at the time, and those of them that were not forwarded.
    let good: Int64
    let goodRefused: Int64
    /// Requests that are no good any more and were forwarded before the last node knew; nil: there were none.
    var badForwarded: Int64?
    /// From the event, or the end of an outage, to when the last node was up to date, in nanoseconds; nil: it never
    /// was.
    var converged: Int64?
    /// Spans whose requests were counted as one although they were not alike.
    var unexplained = 0
}
