/// The rule that a request falls under, and where its path begins.
public struct RouteMatch: Sendable, Hashable {
    /// Index of the rule, in the order given to the table.
    public let ruleIndex: RuleIndex

    /// Number of leading segments of the path that belong to the place; the rule's pattern begins after them.
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
