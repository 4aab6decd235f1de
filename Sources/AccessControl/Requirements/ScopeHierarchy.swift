/// Implications between the scopes of a resource: a scope also grants what the scopes that it implies grant.
///
/// They only apply to decisions. Upstreams and clients get the scopes that the token has and the rule names.
public struct ScopeHierarchy: Sendable {
    /// The scopes that imply each scope, directly or through others.
    private var impliers: [[UInt8]: [String]] = [:]

    /// Hierarchy without implications.
    public static let none = ScopeHierarchy()

    private init() {}

    /// - Parameter implied: each scope with those that it implies, in file order.
    /// - Throws: if a scope implies itself.
    public init(_ implied: [(scope: String, implies: [String])]) throws(ScopeCycle) {
        let direct = Dictionary(implied.map { (Array($0.scope.utf8), $0.implies) }, uniquingKeysWith: +)
        for (scope, _) in implied {
            var found: Set<[UInt8]> = []
            var open = [scope]
            while let next = open.popLast() {
                for other in direct[Array(next.utf8)] ?? [] where found.insert(Array(other.utf8)).inserted {
                    guard !other.utf8.elementsEqual(scope.utf8) else { throw ScopeCycle(scope: scope) }
                    impliers[Array(other.utf8), default: []].append(scope)
                    open.append(other)
                }
            }
        }
    }

    /// The policy with each required scope widened: scopes that imply it are accepted too.
    public func applied(to policy: AccessPolicy) -> AccessPolicy {
        guard !impliers.isEmpty else { return policy }
        return switch policy {
        case .public: policy
        case .token(let requirements): .token(requirements.flatMap(widened))
        case .optionalToken(let requirements): .optionalToken(requirements.flatMap(widened))
        }
    }

    /// The requirement widened by implying scopes, in file order, which challenges keep.
    private func widened(_ requirement: Requirement) -> [Requirement] {
        switch requirement {
        case .all where requirement.scopes.contains(where: isImplied): requirement.scopes.map(widened)
        case .any where requirement.scopes.contains(where: isImplied):
            [.anyOf(requirement.scopes.map { [widened($0)] })]
        case .anyOf(let alternatives): [.anyOf(alternatives.map { $0.flatMap(widened) })]
        case .all, .any, .organization, .maxAge: [requirement]
        }
    }

    private func widened(_ scope: String) -> Requirement {
        impliers[Array(scope.utf8)].map { .scope(scope, orAnyOf: $0) } ?? .allScopes([scope])
    }

    private func isImplied(_ scope: String) -> Bool { impliers[Array(scope.utf8)] != nil }
}

/// A scope that implies itself through other scopes.
public struct ScopeCycle: Error, Hashable, Sendable {
    public let scope: String
}
