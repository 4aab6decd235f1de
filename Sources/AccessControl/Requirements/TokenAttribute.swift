import StrictJSON
import TokenVerification

/// Attribute of a token that rules ask for by name, wherever its issuer keeps it.
public enum TokenAttribute: Sendable, Hashable, CaseIterable {
    case scope, role, client, organization, issuer
    /// The authentication context class (RFC 9470 §3).
    case contextClass

    /// Test for a token of an issuer that has one of these names.
    public func test(for names: [ClaimScalar], of issuer: TrustedIssuer) -> TokenTest {
        switch self {
        case .scope: .first(issuer.scopeClaims, .words(names, prefix: issuer.scopePrefix))
        case .role: issuer.test(forRoles: names)
        case .client: .first(issuer.clientClaims, .identifier(names))
        case .organization: issuer.test(forOrganizations: names)
        case .issuer: .always(names.contains(.string(issuer.name)))
        case .contextClass: .oneOf(issuer.contextClassClaim, names)
        }
    }

    /// The names that a token has.
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

    /// The claims by which a token of an issuer is judged.
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

    /// The refusal of a token without a name that is asked for.
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

    /// The name of one.
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

    /// The name in a list of steps.
    var title: String {
        switch self {
        case .scope, .role, .client: text + "s"
        case .organization, .issuer, .contextClass: text
        }
    }

    /// A sentence's end, behind what is needed: what a token has.
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
    /// Test for a token with one of these roles; of the usual one claim it allocates nothing.
    fileprivate func test(forRoles names: [ClaimScalar]) -> TokenTest {
        roleClaims.count == 1 ? roleClaims[0].test(naming: names) : .any(roleClaims.map { $0.test(naming: names) })
    }

    /// Test for a token that is for one of these organisations.
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
    /// The authentication context classes that it names.
    fileprivate var contextClasses: [String] {
        guard let claim = issuer.contextClassClaim.value(in: claims.json) else { return [] }
        return claim.kind == .array ? claim.elements.compactMap(\.string) : [claim.string].compactMap(\.self)
    }
}
