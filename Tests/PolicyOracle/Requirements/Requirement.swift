/// A requirement on tokens: of a rule, of a policy, or the `require` of a resource.
public enum Requirement: Hashable, Sendable {
    case authenticated
    /// Scopes in one text, all of which are needed.
    case scopes([String])
    /// A mapping, perhaps with a `policy` among its keys.
    case mapping([Part], policy: String? = nil)

    /// Everything that it asks for, its policy included.
    public func parts(_ policies: [String: Requirement]) -> [Part] {
        switch self {
        case .authenticated: []
        case .scopes(let scopes): [.allOf(scopes)]
        case .mapping(let parts, let policy): parts + (policy.flatMap { policies[$0]?.parts(policies) } ?? [])
        }
    }
}

/// Requests that a rule permits.
public enum Access: Hashable, Sendable {
    case everyone
    /// Requests without any credentials, and those with a token that meets the requirement.
    case optional(Requirement)
    case needing(Requirement)

    /// The requirement on tokens. Nil if none is looked at.
    public var requirement: Requirement? {
        switch self {
        case .everyone: nil
        case .optional(let requirement), .needing(let requirement): requirement
        }
    }
}

/// Whether requests that are not permitted are refused.
public enum Mode: Hashable, Sendable {
    case enforce
    /// Until a day or time as the file spells it, which is that many seconds after 1970.
    case observe(until: String, seconds: Int)

    func isObserving(at now: Int) -> Bool {
        if case .observe(_, let seconds) = self { now < seconds } else { false }
    }
}
