import TokenVerification

extension Requirement {
    public var hasAlternatives: Bool {
        if case .anyOf = self { true } else { false }
    }

    /// Name of the requirement in a list of verification steps.
    public var name: String {
        switch self {
        case .all(let facts): facts.first?.title ?? ""
        case .any: "any scope"
        case .organization: TokenAttribute.organization.title
        case .maxAge: "max_age"
        case .anyOf: "any of"
        }
    }

    /// Name of the requirement as it is written in the file.
    public var nameInFile: String {
        switch self {
        case .all where !scopes.isEmpty: "scope \(scopes.joined(separator: " "))"
        case .any: "any of the scopes \(scopes.joined(separator: " "))"
        case .anyOf: "any_of"
        case .all, .organization, .maxAge: name
        }
    }

    /// Description of the requirement: "needs …".
    public var detail: String { "needs \(need)" }

    private var need: String {
        switch self {
        case .all(let facts): Self.need(facts)
        case .any: "one of \(scopes.joined(separator: ", "))"
        case .organization(inPath: let name): "the one that the path names as {\(name)}"
        case .maxAge(let limit): "a sign-in within the last \(limit)"
        case .anyOf(let alternatives):
            alternatives.map { $0.map(\.name).joined(separator: " and ") }.joined(separator: ", or ")
        }
    }

    private static func need(_ facts: [TokenFact]) -> String {
        switch facts.first {
        case .named(.scope, let names) where names.count > 1:
            "\(listed(names.prefix(1))), or one that implies it: \(listed(names.dropFirst()))"
        case .named(.scope, _): facts.compactMap(\.scope).joined(separator: " ")
        case .named(.issuer, let names): "a token of \(listed(names))"
        case .named(_, let names): "one of \(listed(names))"
        case .claim(_, .missing): "none of \(missingPaths(facts).map(\.description).joined(separator: ", "))"
        case .claim(_, let test): test.need
        case nil: "nothing"
        }
    }

    private static func listed(_ names: some Collection<ClaimScalar>) -> String {
        names.map(\.description).joined(separator: ", ")
    }

    private static func missingPaths(_ facts: [TokenFact]) -> [ClaimPath] {
        facts.compactMap { if case .claim(let path, .missing) = $0 { path } else { nil } }
    }

    /// Continuation of ``detail`` that describes the token: "; the token has: …". Empty if there is nothing to add.
    public func held(by token: VerifiedToken) -> String {
        switch self {
        case .all(let facts), .any(let facts):
            if case .claim(_, .missing)? = facts.first {
                let present = Self.missingPaths(facts).filter { !$0.isAbsent(in: token.claims.json) }
                return "; the token has: "
                    + (present.isEmpty ? "none" : present.map(\.description).joined(separator: ", "))
            }
            return facts.first?.held(by: token) ?? ""
        case .organization: return TokenAttribute.organization.held(by: token)
        case .maxAge, .anyOf: return ""
        }
    }
}
