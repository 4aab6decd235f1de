/// What is counted of a target.
public struct UpstreamFigures: Sendable, Hashable {
    /// From the start of an attempt to the head of its response.
    public private(set) var durations = DurationHistogram()
    /// By ``UpstreamOutcome``.
    private var outcomes = [UInt64](repeating: 0, count: UpstreamOutcome.allCases.count)

    init() {}

    public func count(_ outcome: UpstreamOutcome) -> UInt64 { outcomes[outcome.rawValue] }

    mutating func add(_ block: ArraySlice<UInt64>) {
        for (index, count) in zip(outcomes.indices, durations.add(block)) { outcomes[index] &+= count }
    }
}
