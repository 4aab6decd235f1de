import AccessControl
import ConfigurationFile
import RequestAuthorization
import TokenVerification

/// A small change of a policy that a test must notice: it permits more than the file does, or routes requests
/// elsewhere.
public struct Mutant: Sendable {
    enum Change: Sendable {
        /// The rule gets this policy.
        case policy(ResourceIndex, RuleIndex, AccessPolicy)
        /// The rule matches every method.
        case anyMethod(ResourceIndex, RuleIndex)
        /// The rule is removed.
        case deletion(ResourceIndex, RuleIndex)
        /// The mode changes: an enforced rule is only observed, or an observed one enforced. The rule is nil for
        /// requests without a rule.
        case mode(ResourceIndex, RuleIndex?, EnforcementMode)
        /// The maintenance of the resource, or of one of its rules, is lifted. The rule is nil for the resource's.
        case withoutMaintenance(ResourceIndex, RuleIndex?)
        /// The resource does not pass the client's own `Authorization`, and so refuses no token in it.
        case withoutPassing(ResourceIndex)
        /// The resource accepts tokens of these issuers instead.
        case acceptance(ResourceIndex, [AcceptedIssuer])
        /// The issuer's tokens are judged by these rules instead.
        case issuer(IssuerIndex, TrustedIssuer)
    }

    /// Description of the change, such as `GET /orders/**: without scope read`.
    public let text: String
    /// Position of the changed part in the file.
    public let place: FilePlace
    let change: Change
    /// Whether the change removes a requirement, or a part of one.
    let isDrop: Bool

    init(_ text: String, at place: FilePlace, isDrop: Bool = false, _ change: Change) {
        self.text = text
        self.place = place
        self.isDrop = isDrop
        self.change = change
    }

    /// The only resource whose requests the mutant changes. Nil if it changes those of all resources.
    var resource: ResourceIndex? {
        switch change {
        case .policy(let resource, _, _), .anyMethod(let resource, _), .deletion(let resource, _),
            .mode(let resource, _, _), .withoutMaintenance(let resource, _), .acceptance(let resource, _),
            .withoutPassing(let resource):
            resource
        case .issuer: nil
        }
    }

    /// The only rule that the mutant changes. Nil if it changes an issuer or a resource.
    var rule: RuleIndex? {
        switch change {
        case .policy(_, let rule, _), .anyMethod(_, let rule), .deletion(_, let rule): rule
        case .mode(_, let rule, _), .withoutMaintenance(_, let rule): rule
        case .acceptance, .withoutPassing, .issuer: nil
        }
    }
}

extension PolicyUnderTest {
    /// Returns the changed policy. Nil if the change is impossible, because another rule then conflicts.
    func changed(by mutant: Mutant) -> PolicyUnderTest? {
        var changed = self
        switch mutant.change {
        case .policy(let resource, let rule, let policy):
            changed.resources.update(resource) { $0.policies.update(rule) { $0 = policy } }
        case .anyMethod(let resource, let rule):
            guard let old = resources[resource]?.routes else { return nil }
            var routes = old.routes
            routes.update(rule) { $0 = RoutePattern(methods: .any, path: $0.path) }
            guard let table = try? RouteTable(Array(routes)) else { return nil }
            changed.resources.update(resource) { $0.routes = table }
        case .deletion(let resource, let rule):
            guard var routes = resources[resource]?.routes.routes, routes.remove(at: rule) != nil else { return nil }
            guard let table = try? RouteTable(Array(routes)) else { return nil }
            changed.resources.update(resource) { resource in
                resource.routes = table
                _ = resource.policies.remove(at: rule)
                _ = resource.quotas.remove(at: rule)
                _ = resource.ruleModes.remove(at: rule)
                _ = resource.ruleMaintenance.remove(at: rule)
                _ = resource.ruleBounds.remove(at: rule)
                _ = resource.ruleResponseEdits.remove(at: rule)
            }
        case .mode(let resource, let rule, let mode): changed.resources.update(resource) { $0.set(mode, of: rule) }
        case .withoutMaintenance(let resource, let rule?):
            changed.resources.update(resource) { $0.ruleMaintenance.update(rule) { $0 = nil } }
        case .withoutMaintenance(let resource, nil): changed.resources.update(resource) { $0.maintenance = nil }
        case .withoutPassing(let resource): changed.resources.update(resource) { $0.passesAuthorization = false }
        case .acceptance(let resource, let issuers): changed.resources.update(resource) { $0.issuers = issuers }
        case .issuer(let issuer, let rules): changed.issuers.update(issuer) { $0 = rules }
        }
        return changed
    }
}

extension ProtectedResource {
    /// Sets the mode of a rule, or of requests without a rule.
    ///
    /// - Parameter rule: index of the rule. Nil for requests without a rule.
    fileprivate mutating func set(_ mode: EnforcementMode, of rule: RuleIndex?) {
        ruleModes = IndexedBy(policies.indexed.map { self.mode(of: $0.index) })
        guard let rule else { return self.mode = mode }
        ruleModes.update(rule) { $0 = mode }
    }
}
