import TokenVerification

/// One thing that a rule asks of a verified token. A rule's requirements must all hold.
public indirect enum Requirement: Sendable, Hashable {
    /// All of these facts, which are of one kind.
    case all([TokenFact])
    /// At least one of these facts, which are of one kind.
    case any([TokenFact])
    /// A token for the organisation that the request's path names where the rule's pattern has this name.
    case organization(inPath: String)
    /// An authentication (`auth_time`) no longer ago than this (RFC 9470 §3).
    case maxAge(Duration)
    /// At least one alternative holds; all requirements of an alternative must.
    case anyOf([[Requirement]])
}

// MARK: In the words of the file

extension Requirement {
    /// Every one of these scopes (RFC 6749 §3.3).
    public static func allScopes(_ scopes: [String]) -> Requirement {
        .all(scopes.map { .named(.scope, [.string($0)]) })
    }

    /// At least one of these scopes.
    public static func anyScope(_ scopes: [String]) -> Requirement {
        .any(scopes.map { .named(.scope, [.string($0)]) })
    }

    /// Requirement of this scope, or of one that implies it.
    public static func scope(_ scope: String, orAnyOf others: [String]) -> Requirement {
        named(.scope, [scope] + others)
    }

    /// At least one of these roles.
    public static func anyRole(_ roles: [String]) -> Requirement { named(.role, roles) }

    /// A claim that has one of these values.
    public static func claim(_ path: ClaimPath, oneOf values: [ClaimScalar]) -> Requirement {
        claimMatching(path, ClaimChoice(values: values))
    }

    /// A claim that has one of these values or matches one of these patterns.
    public static func claimMatching(_ path: ClaimPath, _ choice: ClaimChoice) -> Requirement {
        .all([.claim(path, .held(choice))])
    }

    /// A claim that is there and has none of these values, in a type that can be compared with them.
    public static func claimOtherThan(_ path: ClaimPath, _ choice: ClaimChoice) -> Requirement {
        .all([.claim(path, .excluded(choice))])
    }

    /// A token without these claims.
    public static func noClaims(_ paths: [ClaimPath]) -> Requirement { .all(paths.map { .claim($0, .missing) }) }

    /// A token of one of these issuers, by the names that the file has for them.
    public static func issuer(oneOf names: [String]) -> Requirement { named(.issuer, names) }

    /// A token that was issued to one of these clients.
    public static func client(oneOf clients: [String]) -> Requirement { named(.client, clients) }

    /// A token for one of these organisations.
    public static func organization(oneOf names: [String]) -> Requirement { named(.organization, names) }

    /// An authentication of one of these context classes (`acr`, RFC 9470 §3).
    public static func authenticationContext(oneOf classes: [String]) -> Requirement { named(.contextClass, classes) }

    /// A token that has one of these names of an attribute.
    public static func named(_ attribute: TokenAttribute, _ names: [String]) -> Requirement {
        .all([.named(attribute, names.map { .string($0) })])
    }
}

// MARK: Judgement

/// Circumstances by which a requirement is judged: the token, the names in the path, and the time.
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
    /// Test for a token of an issuer that meets it. What is absent, null or of another type never does.
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

    /// Test of its claims, whoever issued the token; of all else that it asks for nothing is tested.
    public var claimTest: TokenTest {
        let tests = facts.compactMap {
            if case .claim(let path, let test) = $0 { TokenTest.claim(path, test) } else { nil }
        }
        return tests.count == 1 ? tests[0] : .all(tests)
    }

    /// Test for a token that meets it and is for an organisation that is named here, among all that it meets.
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

    /// True if the token meets it.
    public func isMet(in context: RequirementContext) -> Bool {
        switch self {
        // Fact by fact, so that no test is made of several.
        case .all(let facts): facts.allSatisfy { context.meets($0.test(of: context.token.issuer)) }
        case .any(let facts): facts.contains { context.meets($0.test(of: context.token.issuer)) }
        case .anyOf(let alternatives): alternatives.contains { $0.allSatisfy { $0.isMet(in: context) } }
        case .organization, .maxAge: context.meets(test(of: context.token.issuer, context.pathParameters))
        }
    }

    /// The refusal for an unmet requirement: of alternatives, that of the part which the first one lacks.
    public func denial(in context: RequirementContext) -> Denial {
        guard case .anyOf(let alternatives) = self else { return kind }
        return alternatives.first?.first { !$0.isMet(in: context) }?.denial(in: context) ?? kind
    }

    /// Refusal of a token that does not meet it. Of alternatives it is the last refusal of the first one, so that they
    /// are judged behind everything that their refusal must not come before.
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
    /// The requirement itself, or the parts of its alternatives.
    public var parts: [Requirement] {
        if case .anyOf(let alternatives) = self { alternatives.joined().flatMap(\.parts) } else { [self] }
    }

    /// The requirement itself, or the parts of its first alternative, which a client is asked for.
    var firstParts: [Requirement] {
        if case .anyOf(let alternatives) = self { alternatives.first?.flatMap(\.firstParts) ?? [] } else { [self] }
    }

    /// The facts that it asks for. Alternatives have none of their own.
    public var facts: [TokenFact] {
        switch self {
        case .all(let facts), .any(let facts): facts
        case .organization, .maxAge, .anyOf: []
        }
    }

    /// The attribute that it asks for by name. Nil if it asks for something else.
    public var attribute: TokenAttribute? {
        if case .named(let attribute, _)? = facts.first { return attribute }
        if case .organization = self { return .organization }
        return nil
    }

    /// The names of an attribute of which a token needs one. Nil if it asks for something else.
    public func names(of attribute: TokenAttribute) -> [String]? {
        guard case .named(attribute, let names)? = facts.first else { return nil }
        return names.map(\.description)
    }

    /// The scopes that the file has for it; of alternatives none, which are requirements of their own.
    public var scopes: [String] { facts.compactMap(\.scope) }

    /// True if every token that meets it is for an organisation which it names.
    var asksForOrganization: Bool {
        guard case .anyOf(let alternatives) = self else { return attribute == .organization }
        return alternatives.allSatisfy { $0.contains(where: \.asksForOrganization) }
    }

    /// The claims by which a token of an issuer is judged.
    public func paths(of issuer: TrustedIssuer) -> [ClaimPath] {
        switch self {
        case .all(let facts), .any(let facts): facts.flatMap { $0.paths(of: issuer) }
        case .organization: issuer.organizationClaims
        case .maxAge: []
        case .anyOf(let alternatives): alternatives.joined().flatMap { $0.paths(of: issuer) }
        }
    }
}
