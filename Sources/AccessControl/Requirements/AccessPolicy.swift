import TokenVerification

/// Access condition of one rule.
public enum AccessPolicy: Sendable, Hashable {
    /// Everyone, with or without a token. Must be written in the file; it is never a default.
    case `public`
    /// A valid token for the resource that meets all of these requirements. If there are none, any valid token.
    case token([Requirement])
    /// Requests without credentials, and requests with a valid token that meets all of these requirements.
    case optionalToken([Requirement])

    /// The requirements for a token. Nil if tokens are not verified.
    public var requirements: [Requirement]? {
        switch self {
        case .public: nil
        case .token(let requirements), .optionalToken(let requirements): requirements
        }
    }

    /// True if tokens are verified but requests without credentials are permitted.
    public var permitsAnonymous: Bool {
        if case .optionalToken = self { true } else { false }
    }

    /// The same policy, but requests without credentials are permitted too.
    public var madeOptional: AccessPolicy {
        requirements.map { .optionalToken($0) } ?? self
    }

    /// Decides on a token. The first unmet requirement determines the response.
    ///
    /// Requirements are checked in `judgingOrder`: first those that make a token useless here, then missing
    /// permissions. Requirements that a new sign-in would satisfy come last, because a sign-in does not help while
    /// anything else is missing.
    public func decide(_ context: RequirementContext) -> Decision {
        guard let requirements else { return .granted }
        let organization = organizationTest(of: context.token.issuer, context.pathParameters)
        // A user's permissions in an organization do not apply outside it.
        if !context.meets(organization), !mentionsOrganization { return .denied(.organizationMismatch, missed: nil) }
        if let missed = requirements.firstIndex(where: { !$0.isMet(in: context) }) {
            return .denied(requirements[missed].denial(in: context), missed: missed)
        }
        return context.meets(organization) ? .granted : .denied(.organizationMismatch, missed: nil)
    }

    /// The condition under which a valid token of an issuer is granted access.
    ///
    /// - Parameter parameters: the decoded segments that the rule's pattern names.
    public func test(of issuer: TrustedIssuer, _ parameters: [String: String]) -> TokenTest {
        let requirements = (requirements ?? []).map { $0.test(of: issuer, parameters) }
        return .all(requirements + [organizationTest(of: issuer, parameters)])
    }

    /// The condition for issuers whose tokens for an organization are only valid at rules that ask for one. The token
    /// must be for no organization, or meet an alternative that names its organization.
    private func organizationTest(of issuer: TrustedIssuer, _ parameters: [String: String]) -> TokenTest {
        guard issuer.organizationUse == .onlyWhereAsked, !asksForOrganization else { return .always(true) }
        let isForNone = TokenTest.absent(issuer.organizationClaims)
        guard mentionsOrganization else { return isForNone }
        return .any([isForNone] + (requirements ?? []).map { $0.namingTest(of: issuer, parameters) })
    }

    /// All requirements, including those inside alternatives.
    public var parts: [Requirement] { (requirements ?? []).flatMap(\.parts) }

    /// True if a role is required, at least in one alternative.
    public var asksForRole: Bool { parts.contains { $0.kind == .roleRequired } }

    /// True if every token that meets the policy is for an organization that the policy names.
    public var asksForOrganization: Bool { (requirements ?? []).contains(where: \.asksForOrganization) }

    /// True if an organization is named in at least one alternative.
    public var mentionsOrganization: Bool { parts.contains { $0.kind == .organizationMismatch } }

    /// The path parameters that are compared with the token.
    public var pathParameters: [String] {
        parts.compactMap { if case .organization(inPath: let name) = $0 { name } else { nil } }
    }

    /// A policy with these requirements, sorted into judging order.
    public static func requiring(_ requirements: [Requirement]) -> AccessPolicy {
        .token(requirements.inJudgingOrder)
    }

    /// The same policy with additional requirements for tokens.
    public func adding(_ more: [Requirement]) -> AccessPolicy {
        switch self {
        case .public: self
        case .token(let own): .token((more + own).inJudgingOrder)
        case .optionalToken(let own): .optionalToken((more + own).inJudgingOrder)
        }
    }

    // MARK: Challenges

    /// The requirements to put into a challenge: of alternatives, only the first.
    ///
    /// - Parameter missed: the index of the requirement that the token does not meet; it meets all before that.
    ///   Alternatives before it are left out, since the token may meet another one than the first. Nil if no token was
    ///   verified.
    private func firstParts(missed: Int?) -> [Requirement] {
        let requirements = requirements ?? []
        guard requirements.contains(where: \.hasAlternatives) else { return requirements }
        return requirements.enumerated().flatMap { index, requirement in
            if requirement.hasAlternatives, let missed, index < missed { return [Requirement]() }
            return requirement.firstParts
        }
    }

    /// The scopes that a client should request: all required ones in file order, and the first of each list of
    /// alternatives.
    public func challengeScopes(missed: Int? = nil) -> [String] {
        let all = firstParts(missed: missed).flatMap(\.challengeScopes)
        guard all.count > 1 else { return all }
        var scopes: [String] = []
        for scope in all where !scopes.contains(where: { $0.utf8.elementsEqual(scope.utf8) }) {
            scopes.append(scope)
        }
        return scopes
    }

    /// The configured names of the issuers from which a client should request a token. Nil if any issuer will do.
    public func challengeIssuers(missed: Int? = nil) -> [String]? {
        let asked = firstParts(missed: missed).compactMap { $0.names(of: .issuer) }
        return asked.first.map { first in
            first.filter { name in asked.allSatisfy { $0.contains { $0.utf8.elementsEqual(name.utf8) } } }
        }
    }

    /// All scopes that the policy mentions, in file order.
    public var knownScopes: [String] { parts.flatMap(\.scopes) }

    /// The age limit in seconds for a challenge: the smallest one that is required. Nil if none is.
    public func challengeMaxAge(missed: Int? = nil) -> Int? {
        firstParts(missed: missed).compactMap {
            if case .maxAge(let limit) = $0 { Int(limit.components.seconds) } else { nil }
        }.min()
    }

    /// The context classes for a challenge: those that satisfy all requirements, or otherwise those of the first
    /// requirement.
    public func challengeContextClasses(missed: Int? = nil) -> [String] {
        let asked = firstParts(missed: missed).compactMap { $0.names(of: .contextClass) }
        guard let first = asked.first else { return [] }
        let common = first.filter { name in asked.allSatisfy { $0.contains { $0.utf8.elementsEqual(name.utf8) } } }
        return common.isEmpty ? first : common
    }
}

extension Requirement {
    fileprivate var challengeScopes: [String] {
        if case .any = self { Array(scopes.prefix(1)) } else { scopes }
    }
}

extension [Requirement] {
    /// The requirements in the order in which they are checked. Alternatives are sorted too.
    public var inJudgingOrder: [Requirement] {
        let inner = map { requirement -> Requirement in
            if case .anyOf(let alternatives) = requirement {
                .anyOf(alternatives.map(\.inJudgingOrder))
            } else {
                requirement
            }
        }
        return inner.enumerated().sorted { left, right in
            (left.element.kind.judgingOrder, left.offset) < (right.element.kind.judgingOrder, right.offset)
        }.map(\.element)
    }
}

/// Treatment of requests that a resource or a rule does not permit.
public enum EnforcementMode: Sendable, Hashable {
    case enforce
    /// Until this time they are forwarded anonymously. Logs and metrics report the decision that enforcement would have
    /// made.
    case observe(until: NumericDate)

    public func isObserving(at now: NumericDate) -> Bool {
        if case .observe(until: let end) = self { now < end } else { false }
    }
}

/// Decision of a policy on a verified token.
public enum Decision: Sendable, Hashable {
    case granted
    /// Access is denied. `missed` is the index of the unmet requirement. Nil if the token is only valid where its
    /// organization is required, and the policy would permit the request without it.
    case denied(Denial, missed: Int?)
}

/// Requirement that a valid token does not meet, named as in logs and metrics.
public enum Denial: String, Sendable, Hashable, CaseIterable {
    case organizationMismatch = "organization_mismatch"
    case issuerRequired = "issuer_required"
    case insufficientScope = "insufficient_scope"
    case roleRequired = "role_required"
    case claimRequired = "claim_required"
    case clientRequired = "client_required"
    case authenticationTooWeak = "authentication_too_weak"
    case authenticationTooOld = "authentication_too_old"
    /// The caller's identity is too long for the headers that are sent to upstreams.
    case identityTooLarge = "identity_too_large"

    /// Error code of the challenge (RFC 6750 §3.1, RFC 9470 §3).
    public var bearerError: BearerError {
        switch self {
        case .organizationMismatch: .invalidToken
        case .issuerRequired, .insufficientScope, .roleRequired, .claimRequired, .clientRequired, .identityTooLarge:
            .insufficientScope
        case .authenticationTooWeak, .authenticationTooOld: .insufficientUserAuthentication
        }
    }

    /// Position in the order in which requirements are checked, lowest first.
    var judgingOrder: Int {
        switch self {
        case .organizationMismatch: 0
        case .issuerRequired: 1
        case .insufficientScope: 2
        case .roleRequired: 3
        case .claimRequired: 4
        case .clientRequired: 5
        case .authenticationTooWeak: 6
        case .authenticationTooOld: 7
        // Checked after all requirements are met.
        case .identityTooLarge: 8
        }
    }
}
