import AccessControl
import Callers
import TokenVerification

/// The parts of a resource that are needed to judge its requests by cached tokens.
public struct KnownResource: Sendable {
    public let issuers: [AcceptedIssuer]
    public let routes: RouteTable
    /// The policy of each rule, by its index in `routes`.
    public let policies: IndexedBy<RuleIndex, AccessPolicy>
    public let identityFields: [IdentityField]

    public init(
        issuers: [AcceptedIssuer], routes: RouteTable, policies: IndexedBy<RuleIndex, AccessPolicy>,
        identityFields: [IdentityField]
    ) {
        self.issuers = issuers
        self.routes = routes
        self.policies = policies
        self.identityFields = identityFields
    }
}
