import AccessControl
import TokenVerification

/// Where a request belongs in one configuration.
public struct RequestRoute: Sendable {
    let resource: ResourceIndex
    /// How many leading segments of its path are those of the resource's place.
    let segments: Int
    /// The rule that it falls under; nil: that is to be found.
    let rule: RuleIndex?

    init(resource: ResourceIndex, segments: Int, rule: RuleIndex?) {
        self.resource = resource
        self.segments = segments
        self.rule = rule
    }

    /// Of the facts of a verdict; nil before a rule was found, and where none is for the request.
    public init?(_ resource: ResourceIndex?, _ match: RouteMatch?) {
        guard let resource, let match else { return nil }
        self.init(resource: resource, segments: match.firstSegment, rule: match.ruleIndex)
    }

    var match: RouteMatch? { rule.map { RouteMatch(ruleIndex: $0, firstSegment: segments) } }
}
