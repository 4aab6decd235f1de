import AccessControl
import ConfigurationFile
import RequestAuthorization
import TokenVerification

/// A policy that lets in more than the file does, or sends requests elsewhere: one small change that a test must
/// notice.
public struct Mutant: Sendable {
    enum Change: Sendable {
        /// The rule has another policy.
        case policy(ResourceIndex, RuleIndex, AccessPolicy)
        /// The rule is for every method.
        case anyMethod(ResourceIndex, RuleIndex)
        /// The rule is not there.
        case deletion(ResourceIndex, RuleIndex)
        /// Requests that the rule does not permit are only observed, or are rejected again. The rule is nil for
        /// requests without a rule.
        case mode(ResourceIndex, RuleIndex?, EnforcementMode)
        /// The resource takes tokens of these issuers.
        case acceptance(ResourceIndex, [AcceptedIssuer])
        /// The issuer's tokens are judged by other rules.
        case issuer(IssuerIndex, TrustedIssuer)
    }

    /// Description of the mutant: `GET /orders/**: without scope read`.
    public let text: String
    /// Location of the changed part in the file.
    public let place: FilePlace
    let change: Change
    /// Whether a requirement, or a part of one, is not there.
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
            .mode(let resource, _, _), .acceptance(let resource, _):
            resource
        case .issuer: nil
        }
    }

    /// The rule that was changed.
    var rule: RuleIndex? {
        switch change {
        case .policy(_, let rule, _), .anyMethod(_, let rule), .deletion(_, let rule): rule
        case .mode(_, let rule, _): rule
        case .acceptance, .issuer: nil
        }
    }
}

extension PolicyUnderTest {
    /// The policy with the change; nil if it cannot be made, because another rule has those requests.
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
            }
        case .mode(let resource, let rule, let mode): changed.resources.update(resource) { $0.set(mode, of: rule) }
        case .acceptance(let resource, let issuers): changed.resources.update(resource) { $0.issuers = issuers }
        case .issuer(let issuer, let rules): changed.issuers.update(issuer) { $0 = rules }
        }
        return changed
    }
}

extension ProtectedResource {
    /// - Parameter rule: the rule. Nil for requests without a rule.
    fileprivate mutating func set(_ mode: EnforcementMode, of rule: RuleIndex?) {
        ruleModes = IndexedBy(policies.indexed.map { self.mode(of: $0.index) })
        guard let rule else { return self.mode = mode }
        ruleModes.update(rule) { $0 = mode }
    }
}
