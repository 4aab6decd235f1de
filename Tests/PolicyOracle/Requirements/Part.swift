/// A key of a requirement written as a mapping.
public indirect enum Part: Hashable, Sendable {
    case allOf([String])
    case anyOf([Alternative])
    case text([String])
    case roles([String])
    case claims([ClaimDemand])
    case not([ClaimDemand])
    case absent([ClaimPath])
    case issuer([String])
    case clients([String])
    case organization([String])
    /// `organization: "{name}"`, with the name of a parameter in the rule's path.
    case organizationInPath(String)
    case acr([String])
    /// Maximum age in seconds.
    case maxAge(Int)
}

/// An entry of the list of an `any_of`.
public enum Alternative: Hashable, Sendable {
    case scope(String)
    case mapping([Part])

    /// All parts of the alternative.
    public var parts: [Part] {
        switch self {
        case .scope(let scope): [.allOf([scope])]
        case .mapping(let parts): parts
        }
    }
}

/// Row in the table of answers: of several parts that do not hold, the first row answers.
enum Rank: Int, Comparable {
    case organization, issuer, scopes, roles, claims, clients, acr, maxAge

    static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
}

extension Part {
    /// Row in the table. Alternatives are judged at the row of the last part of the first alternative.
    var rank: Rank {
        switch self {
        case .organization, .organizationInPath: .organization
        case .issuer: .issuer
        case .allOf, .text: .scopes
        case .roles: .roles
        case .claims, .not, .absent: .claims
        case .clients: .clients
        case .acr: .acr
        case .maxAge: .maxAge
        case .anyOf(let alternatives): alternatives.first?.parts.map(\.rank).max() ?? .scopes
        }
    }

    /// True for `claims`, `not` and `absent`, which an issuer's `require` checks before any rule.
    public var isAboutClaims: Bool { rank == .claims && !isAlternatives }

    /// The part with the organization from the path, if it requires one.
    func naming(_ parameters: [String: String]) -> Part {
        switch self {
        case .organizationInPath(let name): .organization([parameters[name] ?? ""])
        case .anyOf(let alternatives):
            .anyOf(
                alternatives.map { alternative in
                    if case .mapping(let parts) = alternative {
                        .mapping(parts.map { $0.naming(parameters) })
                    } else {
                        alternative
                    }
                })
        case .allOf, .text, .roles, .claims, .not, .absent, .issuer, .clients, .organization, .acr, .maxAge: self
        }
    }

    /// Parts that each require one thing, together the same as this one, in one spelling.
    var elements: [Part] {
        switch self {
        case .allOf(let scopes), .text(let scopes): scopes.map { .allOf([$0]) }
        case .anyOf(let alternatives) where alternatives.count == 1: alternatives[0].parts.flatMap(\.elements)
        case .claims(let demands): demands.map { .claims([$0]) }
        case .not(let demands): demands.map { .not([$0]) }
        case .absent(let paths): paths.map { .absent([$0]) }
        case .anyOf, .roles, .issuer, .clients, .organization, .organizationInPath, .acr, .maxAge: [self]
        }
    }

    private var isAlternatives: Bool { if case .anyOf = self { true } else { false } }
}
