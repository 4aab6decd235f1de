import StrictJSON
import TokenVerification

/// Attribute of a token that rules ask for by name. Each issuer's configuration names the claims that hold it.
public enum TokenAttribute: Sendable, Hashable, CaseIterable {
    case scope, role, client, organization, issuer
    /// The authentication context class (RFC 9470 §3).
    case contextClass

    /// The condition under which a token of an issuer has one of these names.
    public func test(for names: [ClaimScalar], of issuer: TrustedIssuer) -> TokenTest {
        switch self {
        case .scope: .first(issuer.scopeClaims, .words(names, prefix: issuer.scopePrefix, issuer.scopeSeparator))
        case .role: issuer.test(forRoles: names)
        case .client: .first(issuer.clientClaims, .identifier(names))
        case .organization: issuer.test(forOrganizations: names)
        case .issuer: .always(names.contains(.string(issuer.name)))
        case .contextClass: .oneOf(issuer.contextClassClaim, names)
        }
    }

    /// The attribute's values in a token.
    public func names(in token: VerifiedToken) -> [String] {
        switch self {
        case .scope: token.scopes
        case .role: token.roles
        case .client: [token.clientID].compactMap(\.self)
        case .organization: [token.organization].compactMap(\.self)
        case .issuer: [token.issuer.name]
        case .contextClass: token.contextClasses
        }
    }

    /// The claims that hold the attribute in tokens of an issuer.
    public func paths(of issuer: TrustedIssuer) -> [ClaimPath] {
        switch self {
        case .scope: issuer.scopeClaims
        case .role: issuer.roleClaims.map(\.path)
        case .client: issuer.clientClaims
        case .organization: issuer.organizationClaims
        case .issuer: []
        case .contextClass: [issuer.contextClassClaim]
        }
    }

    /// The denial for a token that has none of the required names.
    var denial: Denial {
        switch self {
        case .scope: .insufficientScope
        case .role: .roleRequired
        case .client: .clientRequired
        case .organization: .organizationMismatch
        case .issuer: .issuerRequired
        case .contextClass: .authenticationTooWeak
        }
    }

    // MARK: In words

    /// Singular name of the attribute for messages.
    public var text: String {
        switch self {
        case .scope: "scope"
        case .role: "role"
        case .client: "client"
        case .organization: "organization"
        case .issuer: "issuer"
        case .contextClass: "acr"
        }
    }

    /// Name of the requirement in a list of verification steps.
    var title: String {
        switch self {
        case .scope, .role, .client: text + "s"
        case .organization, .issuer, .contextClass: text
        }
    }

    /// Continuation of a requirement's description that describes the token: "; the token has: …".
    func held(by token: VerifiedToken) -> String {
        let names = names(in: token)
        return switch self {
        case .scope: "; the token has: \(names.isEmpty ? "no scope" : names.joined(separator: " "))"
        case .role: "; the token has: \(names.isEmpty ? "no role" : names.joined(separator: ", "))"
        case .client: "; the token is \(names.first ?? "nobody")'s"
        case .organization: "; the token is for \(names.first ?? "none")"
        case .issuer: "; the token is of \(token.issuer.name)"
        case .contextClass: ""
        }
    }
}

extension TrustedIssuer {
    /// The condition under which a token has one of these roles. Allocates nothing in the usual case of a single claim.
    fileprivate func test(forRoles names: [ClaimScalar]) -> TokenTest {
        roleClaims.count == 1 ? roleClaims[0].test(naming: names) : .any(roleClaims.map { $0.test(naming: names) })
    }

    /// The condition under which a token is for one of these organizations.
    fileprivate func test(forOrganizations names: [ClaimScalar]) -> TokenTest {
        let claimed = TokenTest.first(organizationClaims, .exact(names))
        guard let prefix = organizationAudiencePrefix else { return claimed }
        let audience = ClaimTest.exact(names.map { .string(prefix + $0.description) })
        return .any([
            claimed,
            .all([
                TokenTest.first(organizationClaims, .text).negated, .claim(ClaimPath(member: "aud"), audience),
            ]),
        ])
    }
}

extension VerifiedToken {
    /// The authentication context classes in the token.
    fileprivate var contextClasses: [String] {
        guard let claim = issuer.contextClassClaim.value(in: claims.json) else { return [] }
        return claim.kind == .array ? claim.elements.compactMap(\.string) : [claim.string].compactMap(\.self)
    }
}
