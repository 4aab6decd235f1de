import StrictJSON
import TokenVerification

/// One thing that a rule asks of a verified token. A rule's requirements must all hold.
public indirect enum Requirement: Sendable, Hashable {
    /// Every one of these scopes (RFC 6749 §3.3).
    case allScopes([String])
    /// At least one of these scopes.
    case anyScope([String])
    /// This scope, or one that implies it.
    case scope(String, orAnyOf: [String])
    /// At least one of these roles.
    case anyRole([String])
    /// A claim that has one of these values.
    case claim(ClaimPath, oneOf: [ClaimScalar])
    /// A claim that has one of these values or matches one of these patterns.
    case claimMatching(ClaimPath, ClaimChoice)
    /// A claim that is there and has none of these values, in a type that can be compared with them.
    case claimOtherThan(ClaimPath, ClaimChoice)
    /// A token without these claims.
    case noClaims([ClaimPath])
    /// A token of one of these issuers, by the names that the file has for them.
    case issuer(oneOf: [String])
    /// A token that was issued to one of these clients.
    case client(oneOf: [String])
    /// A token for this organisation.
    case organization(OrganizationMatch)
    /// An authentication of one of these context classes (`acr`, RFC 9470 §3).
    case authenticationContext(oneOf: [String])
    /// An authentication (`auth_time`) no longer ago than this (RFC 9470 §3).
    case maxAge(Duration)
    /// One of these, each of which is requirements that must all hold.
    case anyOf([[Requirement]])
}

/// Which organisation a token must be for.
public enum OrganizationMatch: Sendable, Hashable {
    /// One of the names as written.
    case oneOf([String])
    /// The segment of the request's path that the rule's pattern calls by this name.
    case pathParameter(String)
}

/// What a requirement is judged by: the token, the names in the path, and the time.
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
}

extension Requirement {
    /// Byte for byte, as tokens are judged: texts that only look equal are different requirements.
    public static func == (left: Requirement, right: Requirement) -> Bool {
        switch (left, right) {
        case (.allScopes(let left), .allScopes(let right)), (.anyScope(let left), .anyScope(let right)),
            (.anyRole(let left), .anyRole(let right)), (.client(let left), .client(let right)),
            (.authenticationContext(let left), .authenticationContext(let right)):
            left.isIdentical(to: right)
        case (.claim(let left, let leftValues), .claim(let right, let rightValues)):
            left == right && leftValues == rightValues
        case (.scope(let left, let leftOthers), .scope(let right, let rightOthers)):
            left.isIdentical(to: right) && leftOthers.isIdentical(to: rightOthers)
        case (.claimMatching(let left, let leftChoice), .claimMatching(let right, let rightChoice)),
            (.claimOtherThan(let left, let leftChoice), .claimOtherThan(let right, let rightChoice)):
            left == right && leftChoice == rightChoice
        case (.noClaims(let left), .noClaims(let right)): left == right
        case (.issuer(let left), .issuer(let right)): left.isIdentical(to: right)
        case (.anyOf(let left), .anyOf(let right)): left == right
        case (.organization(let left), .organization(let right)): left == right
        case (.maxAge(let left), .maxAge(let right)): left == right
        default: false
        }
    }

    /// Whether a token meets what neither the time nor the request's path decides.
    public func isMet(by token: VerifiedToken) -> Bool {
        isMet(in: RequirementContext(token: token, now: .latest))
    }

    /// Whether the token meets it. What is absent, null or of another type never does.
    public func isMet(in context: RequirementContext) -> Bool {
        let token = context.token
        switch self {
        case .allScopes(let scopes): return scopes.allSatisfy(token.hasScope)
        case .anyScope(let scopes): return scopes.contains(where: token.hasScope)
        case .scope(let scope, let others): return token.hasScope(scope) || others.contains(where: token.hasScope)
        case .anyRole(let roles): return token.roles.contains { role in roles.contains { $0.isIdentical(to: role) } }
        case .claim(let path, let values):
            guard let claim = path.value(in: token.claims.json) else { return false }
            return values.contains { $0.isHeld(by: claim) }
        case .claimMatching(let path, let choice):
            return path.value(in: token.claims.json).map { choice.isHeld(by: $0) } ?? false
        case .claimOtherThan(let path, let choice):
            return path.value(in: token.claims.json).map { choice.isExcluded(by: $0) } ?? false
        case .noClaims(let paths): return paths.allSatisfy { $0.isAbsent(in: token.claims.json) }
        case .issuer(let names): return names.contains { $0.isIdentical(to: token.issuer.name) }
        case .anyOf(let alternatives): return alternatives.contains { $0.allSatisfy { $0.isMet(in: context) } }
        case .client(let clients):
            return token.clientID.map { client in clients.contains { $0.isIdentical(to: client) } } ?? false
        case .organization(let match): return match.holds(for: token.organization, context.pathParameters)
        case .authenticationContext(let classes):
            guard let held = token.verifier.issuer.contextClassClaim.value(in: token.claims.json) else { return false }
            return classes.contains { ClaimScalar.string($0).isHeld(by: held) }
        case .maxAge(let limit):
            let leeway = Leeway(token.verifier.issuer.leeway)
            return leeway.isAuthenticated(token.authenticationTime, within: limit.inSeconds, at: context.now)
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
        case .allScopes, .anyScope, .scope: .insufficientScope
        case .anyRole: .roleRequired
        case .claim, .claimMatching, .claimOtherThan, .noClaims: .claimRequired
        case .issuer: .issuerRequired
        case .client: .clientRequired
        case .organization: .organizationMismatch
        case .authenticationContext: .authenticationTooWeak
        case .maxAge: .authenticationTooOld
        case .anyOf(let alternatives):
            alternatives.first?.map(\.kind).max { $0.judgingOrder < $1.judgingOrder } ?? .insufficientScope
        }
    }

    /// It, or what its alternatives are made of.
    public var parts: [Requirement] {
        if case .anyOf(let alternatives) = self { alternatives.joined().flatMap(\.parts) } else { [self] }
    }

    /// It, or what the first of its alternatives is made of: what a client is told to ask for.
    var firstParts: [Requirement] {
        if case .anyOf(let alternatives) = self { alternatives.first?.flatMap(\.firstParts) ?? [] } else { [self] }
    }

    /// Whether every token that meets it is for an organisation which it names.
    var asksForOrganization: Bool {
        switch self {
        case .organization: true
        case .anyOf(let alternatives): alternatives.allSatisfy { $0.contains(where: \.asksForOrganization) }
        default: false
        }
    }

    /// Whether the token is for an organisation that is named here, among all that it meets.
    func namesOrganization(in context: RequirementContext) -> Bool {
        switch self {
        case .organization: isMet(in: context)
        case .anyOf(let alternatives):
            alternatives.contains { parts in
                parts.allSatisfy { $0.isMet(in: context) } && parts.contains { $0.namesOrganization(in: context) }
            }
        default: false
        }
    }
}

extension OrganizationMatch {
    /// Byte for byte.
    public static func == (left: OrganizationMatch, right: OrganizationMatch) -> Bool {
        switch (left, right) {
        case (.oneOf(let left), .oneOf(let right)): left.isIdentical(to: right)
        case (.pathParameter(let left), .pathParameter(let right)): left.isIdentical(to: right)
        default: false
        }
    }

    func holds(for organization: String?, _ parameters: [String: String]) -> Bool {
        guard let organization else { return false }
        switch self {
        case .oneOf(let names): return names.contains { $0.isIdentical(to: organization) }
        case .pathParameter(let name): return parameters[name]?.isIdentical(to: organization) ?? false
        }
    }
}

extension String {
    /// Byte for byte: `==` would take two spellings of the same character for equal.
    fileprivate func isIdentical(to other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension [String] {
    fileprivate func isIdentical(to other: [String]) -> Bool {
        elementsEqual(other) { $0.isIdentical(to: $1) }
    }
}
