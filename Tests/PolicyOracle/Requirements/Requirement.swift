/// A requirement on tokens: of a rule, of a policy, or the `require` of a resource.
public enum Requirement: Hashable, Sendable {
    case authenticated
    /// Scopes in one string, all of which are required.
    case scopes([String])
    /// A mapping, possibly with a `policy` among its keys.
    case mapping([Part], policy: String? = nil)

    /// All parts of the requirement, including its policy.
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
    /// Requests without any credentials, and requests with a token that satisfies the requirement.
    case optional(Requirement)
    case needing(Requirement)

    /// The requirement on tokens. Nil if tokens are ignored.
    public var requirement: Requirement? {
        switch self {
        case .everyone: nil
        case .optional(let requirement), .needing(let requirement): requirement
        }
    }
}

/// Mode: whether refused requests are refused or only observed.
public enum Mode: Hashable, Sendable {
    case enforce
    /// Observed until a day or time as the file writes it, which is this many seconds since 1970.
    case observe(until: String, seconds: Int)

    func isObserving(at now: Int) -> Bool {
        if case .observe(_, let seconds) = self { now < seconds } else { false }
    }
}

/// Time in which every request is refused.
public struct Maintenance: Hashable, Sendable {
    /// End as the file writes it. Nil if it lasts until the file changes.
    let until: String?
    /// End in seconds since 1970. Nil if it lasts until the file changes.
    let end: Int?

    public init(until: String? = nil, end: Int? = nil) {
        self.until = until
        self.end = end
    }

    func isOngoing(at now: Int) -> Bool { end.map { now < $0 } ?? true }
}
