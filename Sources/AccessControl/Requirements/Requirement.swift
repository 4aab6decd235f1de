import TokenVerification

/// One requirement of a rule for a verified token. All requirements of a rule must hold.
public indirect enum Requirement: Sendable, Hashable {
    /// All of these facts are true. They are of one kind.
    case all([TokenFact])
    /// At least one of these facts is true. They are of one kind.
    case any([TokenFact])
    /// The token is for the organization in the request's path, in the segment that the rule's pattern gives this name.
    case organization(inPath: String)
    /// The authentication (`auth_time`) is not longer ago than this (RFC 9470 §3).
    case maxAge(Duration)
    /// At least one alternative holds; all requirements of an alternative must.
    case anyOf([[Requirement]])
}

// MARK: In the words of the file

extension Requirement {
    /// Requires all of these scopes (RFC 6749 §3.3).
    public static func allScopes(_ scopes: [String]) -> Requirement {
        .all(scopes.map { .named(.scope, [.string($0)]) })
    }

    /// Requires at least one of these scopes.
    public static func anyScope(_ scopes: [String]) -> Requirement {
        .any(scopes.map { .named(.scope, [.string($0)]) })
    }

    /// Requires this scope, or one that implies it.
    public static func scope(_ scope: String, orAnyOf others: [String]) -> Requirement {
        named(.scope, [scope] + others)
    }

    /// Requires at least one of these roles.
    public static func anyRole(_ roles: [String]) -> Requirement { named(.role, roles) }

    /// Requires a claim with one of these values.
    public static func claim(_ path: ClaimPath, oneOf values: [ClaimScalar]) -> Requirement {
        claimMatching(path, ClaimChoice(values: values))
    }

    /// Requires a claim with one of these values, or one that matches one of these patterns.
    public static func claimMatching(_ path: ClaimPath, _ choice: ClaimChoice) -> Requirement {
        .all([.claim(path, .held(choice))])
    }

    /// Requires a claim with none of these values. The claim must be present, in a type that can be compared with them.
    public static func claimOtherThan(_ path: ClaimPath, _ choice: ClaimChoice) -> Requirement {
        .all([.claim(path, .excluded(choice))])
    }

    /// Requires a token without these claims.
    public static func noClaims(_ paths: [ClaimPath]) -> Requirement { .all(paths.map { .claim($0, .missing) }) }

    /// Requires a token of one of these issuers, by their configured names.
    public static func issuer(oneOf names: [String]) -> Requirement { named(.issuer, names) }

    /// Requires a token that was issued to one of these clients.
    public static func client(oneOf clients: [String]) -> Requirement { named(.client, clients) }

    /// Requires a token for one of these organizations.
    public static func organization(oneOf names: [String]) -> Requirement { named(.organization, names) }

    /// Requires an authentication of one of these context classes (`acr`, RFC 9470 §3).
    public static func authenticationContext(oneOf classes: [String]) -> Requirement { named(.contextClass, classes) }

    /// Requires a token in which an attribute has one of these names.
    public static func named(_ attribute: TokenAttribute, _ names: [String]) -> Requirement {
        .all([.named(attribute, names.map { .string($0) })])
    }
}

// MARK: Judgement

/// Input of a requirement's check: the token, the named segments of the path, and the time.
public struct RequirementContext: Sendable {
    public let token: VerifiedToken
    /// The decoded segments that the rule's pattern names, without their path parameters.
    public let pathParameters: [String: String]
    public let now: NumericDate

    public init(token: VerifiedToken, pathParameters: [String: String] = [:], now: NumericDate) {
        self.token = token
        self.pathParameters = pathParameters
        self.now = now
    }

    func meets(_ test: TokenTest) -> Bool { test.holds(for: token.claims, at: now) }
}

extension Requirement {
    /// The condition under which a token of an issuer meets the requirement. A claim that is absent, null or of another
    /// type never does.
    ///
    /// - Parameter parameters: the decoded segments that the rule's pattern names.
    func test(of issuer: TrustedIssuer, _ parameters: [String: String]) -> TokenTest {
        switch self {
        case .all(let facts): .all(facts.map { $0.test(of: issuer) })
        case .any(let facts): .any(facts.map { $0.test(of: issuer) })
        case .organization(inPath: let name):
            TokenAttribute.organization.test(for: [parameters[name]].compactMap { $0.map { .string($0) } }, of: issuer)
        case .maxAge(let limit): .times(.authenticated(within: limit.inSeconds, Leeway(issuer.leeway)), holds: true)
        case .anyOf(let alternatives): .any(alternatives.map { .all($0.map { $0.test(of: issuer, parameters) }) })
        }
    }

    /// The condition on claims alone, independent of the issuer. Other parts of the requirement are not tested.
    public var claimTest: TokenTest {
        let tests = facts.compactMap {
            if case .claim(let path, let test) = $0 { TokenTest.claim(path, test) } else { nil }
        }
        return tests.count == 1 ? tests[0] : .all(tests)
    }

    /// The condition under which a token meets the requirement through an alternative that names the token's
    /// organization.
    func namingTest(of issuer: TrustedIssuer, _ parameters: [String: String]) -> TokenTest {
        guard case .anyOf(let alternatives) = self else {
            return attribute == .organization ? test(of: issuer, parameters) : .always(false)
        }
        return .any(
            alternatives.map { parts in
                .all(
                    parts.map { $0.test(of: issuer, parameters) }
                        + [.any(parts.map { $0.namingTest(of: issuer, parameters) })])
            })
    }

    /// True if the token meets the requirement.
    public func isMet(in context: RequirementContext) -> Bool {
        switch self {
        // Fact by fact, which avoids building a combined test.
        case .all(let facts): facts.allSatisfy { context.meets($0.test(of: context.token.issuer)) }
        case .any(let facts): facts.contains { context.meets($0.test(of: context.token.issuer)) }
        case .anyOf(let alternatives): alternatives.contains { $0.allSatisfy { $0.isMet(in: context) } }
        case .organization, .maxAge: context.meets(test(of: context.token.issuer, context.pathParameters))
        }
    }

    /// The denial for an unmet requirement. For alternatives, the denial of the first unmet part of the first
    /// alternative.
    public func denial(in context: RequirementContext) -> Denial {
        guard case .anyOf(let alternatives) = self else { return kind }
        return alternatives.first?.first { !$0.isMet(in: context) }?.denial(in: context) ?? kind
    }

    /// The denial for a token that does not meet the requirement.
    ///
    /// For alternatives it is the denial of the first alternative with the latest position in judging order.
    /// Alternatives are therefore checked after everything that must come before them.
    public var kind: Denial {
        switch self {
        case .all(let facts), .any(let facts): facts.first?.denial ?? .claimRequired
        case .organization: .organizationMismatch
        case .maxAge: .authenticationTooOld
        case .anyOf(let alternatives):
            alternatives.first?.map(\.kind).max { $0.judgingOrder < $1.judgingOrder } ?? .insufficientScope
        }
    }
}

// MARK: Parts

extension Requirement {
    /// The requirement itself, or the requirements inside its alternatives.
    public var parts: [Requirement] {
        if case .anyOf(let alternatives) = self { alternatives.joined().flatMap(\.parts) } else { [self] }
    }

    /// The requirement itself, or those of its first alternative. A challenge asks for these.
    var firstParts: [Requirement] {
        if case .anyOf(let alternatives) = self { alternatives.first?.flatMap(\.firstParts) ?? [] } else { [self] }
    }

    /// The required facts. Empty for alternatives, whose facts are in their own requirements.
    public var facts: [TokenFact] {
        switch self {
        case .all(let facts), .any(let facts): facts
        case .organization, .maxAge, .anyOf: []
        }
    }

    /// The attribute whose name is required. Nil if the requirement is of another kind.
    public var attribute: TokenAttribute? {
        if case .named(let attribute, _)? = facts.first { return attribute }
        if case .organization = self { return .organization }
        return nil
    }

    /// The required names of an attribute, if one of them suffices. Nil if the requirement is of another kind.
    public func names(of attribute: TokenAttribute) -> [String]? {
        guard case .named(attribute, let names)? = facts.first else { return nil }
        return names.map(\.description)
    }

    /// The required scopes as written in the file. Empty for alternatives, which are requirements themselves.
    public var scopes: [String] { facts.compactMap(\.scope) }

    /// True if every token that meets the requirement is for an organization that the requirement names.
    var asksForOrganization: Bool {
        guard case .anyOf(let alternatives) = self else { return attribute == .organization }
        return alternatives.allSatisfy { $0.contains(where: \.asksForOrganization) }
    }

    /// The claims that are compared for a token of an issuer.
    public func paths(of issuer: TrustedIssuer) -> [ClaimPath] {
        switch self {
        case .all(let facts), .any(let facts): facts.flatMap { $0.paths(of: issuer) }
        case .organization: issuer.organizationClaims
        case .maxAge: []
        case .anyOf(let alternatives): alternatives.joined().flatMap { $0.paths(of: issuer) }
        }
    }
}
