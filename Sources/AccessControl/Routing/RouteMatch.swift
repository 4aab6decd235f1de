/// The rule that a request falls under, and where its path begins.
public struct RouteMatch: Sendable, Hashable {
    /// Which rule, as the table was given them.
    public let ruleIndex: RuleIndex

    /// How many leading segments of the path are the place's; behind them the rule's pattern begins.
    public let firstSegment: Int

    public init(ruleIndex: RuleIndex, firstSegment: Int) {
        self.ruleIndex = ruleIndex
        self.firstSegment = firstSegment
    }

    /// Index of the segment of the request's path at a position of the rule's pattern
    /// (`PathPattern.position(ofParameter:)`).
    public func segmentIndex(ofPosition position: Int) -> Int {
        firstSegment &+ position
    }
}
