import TokenVerification

/// What one rule asks of a request.
public enum AccessPolicy: Sendable, Hashable {
    /// Anyone, with or without a token: spelled out in the file, never a default.
    case `public`
    /// A valid token for the resource that meets all of these; with none, any valid token.
    case token([Requirement])

    /// Whether the token may do it; the first unmet requirement decides the answer.
    ///
    /// Requirements are judged in `judgingOrder`: what makes a token useless here first, what it lacks next, and last what a
    /// new sign-in would fix, since that is useless to the user while anything else is missing.
    public func decide(_ context: RequirementContext) -> Decision {
        guard case .token(let requirements) = self else { return .granted }
        // What a user may do in an organisation says nothing about what they may do outside it.
        if context.token.isOnlyForOrganizationRules, !asksForOrganization { return .denied(.organizationMismatch, missed: nil) }
        guard let missed = requirements.firstIndex(where: { !$0.isMet(in: context) }) else { return .granted }
        return .denied(requirements[missed].denial, missed: missed)
    }

    /// Whether it asks for a role.
    public var asksForRole: Bool {
        guard case .token(let requirements) = self else { return false }
        return requirements.contains { $0.denial == .roleRequired }
    }

    /// Whether it says which organisation a token must be for.
    public var asksForOrganization: Bool {
        guard case .token(let requirements) = self else { return false }
        return requirements.contains { $0.denial == .organizationMismatch }
    }

    /// A policy of these requirements, in the order in which they are judged.
    public static func requiring(_ requirements: [Requirement]) -> AccessPolicy {
        let ordered = requirements.enumerated().sorted { left, right in
            (left.element.denial.judgingOrder, left.offset) < (right.element.denial.judgingOrder, right.offset)
        }
        return .token(ordered.map(\.element))
    }

    /// The scopes that a client should ask for: all of the required ones in file order, then the first of the alternatives.
    public var challengeScopes: [String] {
        guard case .token(let requirements) = self else { return [] }
        return requirements.flatMap { requirement -> [String] in
            switch requirement {
            case .allScopes(let scopes): scopes
            case .anyScope(let scopes): scopes.first.map { [$0] } ?? []
            default: []
            }
        }
    }

    /// The scopes that the policy knows, in file order.
    public var knownScopes: [String] {
        guard case .token(let requirements) = self else { return [] }
        return requirements.flatMap { requirement -> [String] in
            switch requirement {
            case .allScopes(let scopes), .anyScope(let scopes): scopes
            default: []
            }
        }
    }

    /// The age limit to name in a challenge, in whole seconds.
    public var challengeMaxAge: Int? {
        guard case .token(let requirements) = self else { return nil }
        for case .maxAge(let limit) in requirements { return Int(limit.components.seconds) }
        return nil
    }

    /// The context classes to name in a challenge.
    public var challengeContextClasses: [String] {
        guard case .token(let requirements) = self else { return [] }
        for case .authenticationContext(let classes) in requirements { return classes }
        return []
    }
}
