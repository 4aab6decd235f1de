import AccessControl
import RequestAuthorization
import TokenVerification

/// Names of issuers and rules among the callers that are counted, computed once for each configuration. Apart from
/// ``RequestLabels``, which are copied for each line of the log and each span.
struct CallerLabels: Sendable {
    /// Byte between the name of an issuer and that of a caller. No name has it.
    static let separator: UInt8 = 0

    private let prefixes: IndexedBy<IssuerIndex, [UInt8]>
    private let marks: IndexedBy<ResourceIndex, IndexedBy<RuleIndex, RuleMark>>

    init(_ authorizer: RequestAuthorizer) {
        prefixes = authorizer.issuers.mapped { Array($0.verifier.issuer.name.utf8) + [Self.separator] }
        marks = authorizer.resources.mapped { resource in
            resource.routes.routes.mapped { RuleMark(resource: resource.identifier, rule: $0.description) }
        }
    }

    /// Text before the name of a caller: the name of the issuer, and ``separator``. Empty without an issuer.
    func prefix(_ index: IssuerIndex?) -> [UInt8] { index.flatMap { prefixes[$0] } ?? [] }

    /// Mark of a rule among the callers that it permitted. Nil if the indices belong to no rule.
    func mark(_ index: RuleIndex, of resource: ResourceIndex) -> RuleMark? { marks[resource]?[index] }
}
