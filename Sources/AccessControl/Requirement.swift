import StrictJSON
import TokenVerification

/// One thing that a rule asks of a verified token. A rule's requirements must all hold.
public enum Requirement: Sendable, Hashable {
    /// Every one of these scopes (RFC 6749 §3.3).
    case allScopes([String])
    /// At least one of these scopes.
    case anyScope([String])
    /// At least one of these roles.
    case anyRole([String])
    /// A claim that has one of these values.
    case claim(ClaimPath, oneOf: [ClaimScalar])
    /// A token that was issued to one of these clients.
    case client(oneOf: [String])
    /// A token for this organisation.
    case organization(OrganizationMatch)
    /// An authentication of one of these context classes (`acr`, RFC 9470 §3).
    case authenticationContext(oneOf: [String])
    /// An authentication (`auth_time`) no longer ago than this (RFC 9470 §3).
    case maxAge(Duration)
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
        case (.claim(let left, let leftValues), .claim(let right, let rightValues)): left == right && leftValues == rightValues
        case (.organization(let left), .organization(let right)): left == right
        case (.maxAge(let left), .maxAge(let right)): left == right
        default: false
        }
    }

    /// Whether the token meets it. What is absent, null or of another type never does.
    public func isMet(in context: RequirementContext) -> Bool {
        let token = context.token
        switch self {
        case .allScopes(let scopes): return scopes.allSatisfy(token.hasScope)
        case .anyScope(let scopes): return scopes.contains(where: token.hasScope)
        case .anyRole(let roles): return token.roles.contains { role in roles.contains { $0.isIdentical(to: role) } }
        case .claim(let path, let values):
            guard let claim = path.value(in: token.claims.json) else { return false }
            return values.contains { $0.isHeld(by: claim) }
        case .client(let clients): return token.clientID.map { client in clients.contains { $0.isIdentical(to: client) } } ?? false
        case .organization(let match): return match.holds(for: token.organization, context.pathParameters)
        case .authenticationContext(let classes):
            guard let held = token.verifier.issuer.contextClassClaim.value(in: token.claims.json) else { return false }
            return classes.contains { ClaimScalar.string($0).isHeld(by: held) }
        case .maxAge(let limit):
            guard let authenticated = token.authenticationTime else { return false }
            let leeway = token.verifier.issuer.leeway
            return context.now <= authenticated + limit + leeway && authenticated <= context.now + leeway
        }
    }

    /// The refusal for an unmet requirement.
    public var denial: Denial {
        switch self {
        case .allScopes, .anyScope: .insufficientScope
        case .anyRole: .roleRequired
        case .claim: .claimRequired
        case .client: .clientRequired
        case .organization: .organizationMismatch
        case .authenticationContext: .authenticationTooWeak
        case .maxAge: .authenticationTooOld
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
