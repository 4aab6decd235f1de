import AccessControl
import TokenVerification

/// The resource and rule of a request in one configuration.
public struct RequestRoute: Sendable {
    let resource: ResourceIndex
    /// Number of leading path segments that are the resource's path prefix (its place).
    let segments: Int
    /// The rule that the request matches. Nil if it must be looked up.
    let rule: RuleIndex?

    init(resource: ResourceIndex, segments: Int, rule: RuleIndex?) {
        self.resource = resource
        self.segments = segments
        self.rule = rule
    }

    /// Creates the route from the facts of a verdict. Nil if no rule was found, or not yet.
    public init?(_ resource: ResourceIndex?, _ match: RouteMatch?) {
        guard let resource, let match else { return nil }
        self.init(resource: resource, segments: match.firstSegment, rule: match.ruleIndex)
    }

    var match: RouteMatch? { rule.map { RouteMatch(ruleIndex: $0, firstSegment: segments) } }
}
