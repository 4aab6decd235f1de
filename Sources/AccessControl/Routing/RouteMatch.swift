/// The rule that matches a request, and the index of the path segment at which the rule's pattern begins.
public struct RouteMatch: Sendable, Hashable {
    /// Index of the rule in the table.
    public let ruleIndex: RuleIndex

    /// Number of leading segments of the path that belong to the place. The rule's pattern begins after them.
    public let firstSegment: Int

    public init(ruleIndex: RuleIndex, firstSegment: Int) {
        self.ruleIndex = ruleIndex
        self.firstSegment = firstSegment
    }

    /// Index of the segment in the request's path for a position in the rule's pattern
    /// (`PathPattern.position(ofParameter:)`).
    public func segmentIndex(ofPosition position: Int) -> Int {
        firstSegment &+ position
    }
}
