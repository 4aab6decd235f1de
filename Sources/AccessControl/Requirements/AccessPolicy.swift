import TokenVerification

/// Policy of one rule for a request.
public enum AccessPolicy: Sendable, Hashable {
    /// Anyone, with or without a token: spelled out in the file, never a default.
    case `public`
    /// A valid token for the resource that meets all of these; with none, any valid token.
    case token([Requirement])
    /// Anyone who sends no credentials at all; whoever sends some needs a valid token that meets all of these.
    case optionalToken([Requirement])

    /// Requirements on the token. Nil if no token is checked.
    public var requirements: [Requirement]? {
        switch self {
        case .public: nil
        case .token(let requirements), .optionalToken(let requirements): requirements
        }
    }

    /// Whether a request without any credentials is permitted, although tokens are looked at.
    public var permitsAnonymous: Bool {
        if case .optionalToken = self { true } else { false }
    }

    /// The same for requests without credentials too.
    public var madeOptional: AccessPolicy {
        requirements.map { .optionalToken($0) } ?? self
    }

    /// Whether the token may do it; the first unmet requirement decides the answer.
    ///
    /// Requirements are judged in `judgingOrder`: what makes a token useless here first, what it lacks next, and last
    /// what a new sign-in would fix, since that is useless to the user while anything else is missing.
    public func decide(_ context: RequirementContext) -> Decision {
        guard let requirements else { return .granted }
        let organization = organizationTest(of: context.token.issuer, context.pathParameters)
        // What a user may do in an organisation says nothing about what they may do outside it.
        if !context.meets(organization), !mentionsOrganization { return .denied(.organizationMismatch, missed: nil) }
        if let missed = requirements.firstIndex(where: { !$0.isMet(in: context) }) {
            return .denied(requirements[missed].denial(in: context), missed: missed)
        }
        return context.meets(organization) ? .granted : .denied(.organizationMismatch, missed: nil)
    }

    /// Test for a good token of an issuer that may do it.
    ///
    /// - Parameter parameters: the decoded segments that the rule's pattern names.
    public func test(of issuer: TrustedIssuer, _ parameters: [String: String]) -> TokenTest {
        let requirements = (requirements ?? []).map { $0.test(of: issuer, parameters) }
        return .all(requirements + [organizationTest(of: issuer, parameters)])
    }

    /// Test for a token that opens only rules which ask for an organisation, or a token for none: whatever it meets
    /// must name its organisation.
    private func organizationTest(of issuer: TrustedIssuer, _ parameters: [String: String]) -> TokenTest {
        guard issuer.organizationUse == .onlyWhereAsked, !asksForOrganization else { return .always(true) }
        let isForNone = TokenTest.absent(issuer.organizationClaims)
        guard mentionsOrganization else { return isForNone }
        return .any([isForNone] + (requirements ?? []).map { $0.namingTest(of: issuer, parameters) })
    }

    /// All that it asks for, whatever the alternatives.
    public var parts: [Requirement] { (requirements ?? []).flatMap(\.parts) }

    /// Whether it asks for a role.
    public var asksForRole: Bool { parts.contains { $0.kind == .roleRequired } }

    /// Whether it says which organisation a token must be for, whichever alternatives the token meets.
    public var asksForOrganization: Bool { (requirements ?? []).contains(where: \.asksForOrganization) }

    /// Whether it does so in some of its alternatives at least.
    public var mentionsOrganization: Bool { parts.contains { $0.kind == .organizationMismatch } }

    /// The names that it compares with segments of the request's path.
    public var pathParameters: [String] {
        parts.compactMap { if case .organization(inPath: let name) = $0 { name } else { nil } }
    }

    /// A policy of these requirements, in the order in which they are judged.
    public static func requiring(_ requirements: [Requirement]) -> AccessPolicy {
        .token(requirements.inJudgingOrder)
    }

    /// The same with more requirements of its tokens.
    public func adding(_ more: [Requirement]) -> AccessPolicy {
        switch self {
        case .public: self
        case .token(let own): .token((more + own).inJudgingOrder)
        case .optionalToken(let own): .optionalToken((more + own).inJudgingOrder)
        }
    }

    // MARK: Challenges

    /// - Parameter missed: the index of the requirement that a token does not meet; it meets those before. Of
    /// alternatives it may meet another than the first, so a challenge asks for nothing of them. Nil if no token was
    /// checked.
    private func firstParts(missed: Int?) -> [Requirement] {
        (requirements ?? []).enumerated().flatMap { index, requirement in
            if requirement.hasAlternatives, let missed, index < missed { return [Requirement]() }
            return requirement.firstParts
        }
    }

    /// The scopes that a client should ask for: all of the required ones in file order, then the first of the
    /// alternatives.
    public func challengeScopes(missed: Int? = nil) -> [String] {
        var scopes: [String] = []
        for scope in firstParts(missed: missed).flatMap(\.challengeScopes)
        where !scopes.contains(where: { $0.utf8.elementsEqual(scope.utf8) }) {
            scopes.append(scope)
        }
        return scopes
    }

    /// Names in the file of the issuers from which a client should get a token. Nil if any issuer will do.
    public func challengeIssuers(missed: Int? = nil) -> [String]? {
        let asked = firstParts(missed: missed).compactMap { $0.names(of: .issuer) }
        return asked.first.map { first in
            first.filter { name in asked.allSatisfy { $0.contains { $0.utf8.elementsEqual(name.utf8) } } }
        }
    }

    /// The scopes that the policy knows, in file order.
    public var knownScopes: [String] { parts.flatMap(\.scopes) }

    /// The age limit to name in a challenge, in whole seconds: that which satisfies all of them.
    public func challengeMaxAge(missed: Int? = nil) -> Int? {
        firstParts(missed: missed).compactMap {
            if case .maxAge(let limit) = $0 { Int(limit.components.seconds) } else { nil }
        }.min()
    }

    /// The context classes to name in a challenge: those that satisfy all who ask for some, or else the first who does.
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
    /// The same in the order in which they are judged, alternatives too.
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

/// Whether requests that a resource or a rule does not permit are refused.
public enum EnforcementMode: Sendable, Hashable {
    case enforce
    /// Until that moment they are forwarded as nobody's, and logs and metrics state what would have become of them.
    case observe(until: NumericDate)

    public func isObserving(at now: NumericDate) -> Bool {
        if case .observe(until: let end) = self { now < end } else { false }
    }
}

/// The verdict of a policy on a verified token.
public enum Decision: Sendable, Hashable {
    case granted
    /// The token does not meet the requirement with index `missed`. Nil if it meets all, but is only for rules that ask
    /// for an organisation.
    case denied(Denial, missed: Int?)
}

/// Requirement that a valid token does not meet, in the words of logs and metrics.
public enum Denial: String, Sendable, Hashable, CaseIterable {
    case organizationMismatch = "organization_mismatch"
    case issuerRequired = "issuer_required"
    case insufficientScope = "insufficient_scope"
    case roleRequired = "role_required"
    case claimRequired = "claim_required"
    case clientRequired = "client_required"
    case authenticationTooWeak = "authentication_too_weak"
    case authenticationTooOld = "authentication_too_old"
    /// The identity of the caller is longer than upstreams are to be told.
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

    /// Earlier is judged first.
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
        // Asked when all requirements are met.
        case .identityTooLarge: 8
        }
    }
}
