import AccessControl
import RequestAuthorization
import TokenVerification

/// Bounds of one forwarded request that its resource or rule sets, as the event loops need them.
struct RequestBounds: Hashable {
    /// Longest body, in bytes. Nil if the configuration's limit applies.
    let body: Int?
    /// Time limit for the response head. Nil if the configuration's time-out applies.
    let firstByte: TickCount?

    init(_ bounds: ForwardingBounds) {
        body = bounds.body
        firstByte = bounds.firstByte.map { TickCount($0) }
    }
}

/// Bounds of all resources and rules, computed once for each configuration.
struct BoundsOfRules: Sendable {
    /// Bounds of each resource: of requests without a rule, then of each rule. Nil for a resource that sets none.
    private let ofResources: IndexedBy<ResourceIndex, [RequestBounds]?>
    /// True if no resource and no rule sets one.
    let isEmpty: Bool

    init(_ resources: IndexedBy<ResourceIndex, ProtectedResource>) {
        ofResources = resources.mapped { resource in
            let all = [resource.bounds] + resource.policies.indexed.map { resource.bounds(of: $0.index) }
            return all.allSatisfy(\.isEmpty) ? nil : all.map(RequestBounds.init)
        }
        isEmpty = ofResources.allSatisfy { $0 == nil }
    }

    /// Bounds of a rule. Nil if neither the rule nor its resource sets one.
    ///
    /// - Parameter rule: index of the rule. Nil for requests without a rule.
    func bounds(of rule: RuleIndex?, _ resource: ResourceIndex?) -> RequestBounds? {
        guard let resource, let all = ofResources[resource] ?? nil else { return nil }
        let index = rule.map { $0.rawValue &+ 1 } ?? 0
        return all.indices.contains(index) ? all[index] : nil
    }
}
