import JOSE
import StrictJSON

/// A token that passed every check of its issuer for one audience at one time. Only `TokenVerifier` makes one.
///
/// The access policy still has to decide whether it permits the request. A class, so that it is cheap to pass along
/// during a request.
public final class VerifiedToken: Sendable {
    /// The verifier that accepted the token.
    public let verifier: TokenVerifier
    /// The claims that the issuer signed, or that its introspection answer contains.
    public let claims: ClaimsSet
    public let keyID: String?
    /// `exp`, without leeway. Nil only for an opaque token whose introspection answer has none.
    public let expiration: NumericDate?
    /// The token's subject. Nil if it has none.
    public let subject: String?
    /// Index of the claim with the subject, among those of the issuer's rule. Nil without a subject.
    public let subjectClaim: Int?

    init(verifier: TokenVerifier, claims: ClaimsSet, keyID: String?, expiration: NumericDate?, subject: TokenSubject?) {
        self.verifier = verifier
        self.claims = claims
        self.keyID = keyID
        self.expiration = expiration
        self.subject = subject?.text
        subjectClaim = subject?.claim
    }

    /// The issuer of the token, with the rules that the token satisfied.
    public var issuer: TrustedIssuer { verifier.issuer }

    /// `iss` of the token. If an introspection answer has none, the issuer's first identifier.
    public var issuerIdentifier: String { claims.issuer ?? verifier.issuer.identifier }

    /// The later of `nbf` and `iat`, in seconds since 1970. Negative infinity if the token has neither.
    public var latestStart: Double {
        [claims.json[member: "nbf"], claims.json[member: "iat"]].compactMap { $0?.real }.max() ?? -.infinity
    }

    /// True if the token has `iat`.
    public var saysWhenIssued: Bool { claims.json[member: "iat"] != nil }

    /// ID of the token (`jti`). Nil if the claim is absent or not an identifier.
    public var tokenID: String? { claims.tokenID }

    /// The client that the token was issued to. Nil if no claim names it.
    public var clientID: String? { claims.identifier(of: verifier.issuer.clientClaims) }

    /// The scopes, in the token's order, without the issuer's prefix.
    public var scopes: [String] { verifier.scopes(in: claims) }

    /// The roles, in the token's order.
    public var roles: [String] { verifier.issuer.roleClaims.flatMap { $0.roles(in: claims.json) } }

    /// The organization that the token is for. Nil if it names none.
    public var organization: String? { issuer.organization(in: claims) }

    /// True if the token opens only rules that require an organization.
    public var isOnlyForOrganizationRules: Bool {
        issuer.organizationUse == .onlyWhereAsked && claims.first(of: issuer.organizationClaims) != nil
    }

    /// The directory (tenant) that the subject belongs to, or the issuer's realm. Nil if no claim names it.
    public var tenant: String? { issuer.tenant(in: claims) }

    /// True if the client announced that it understands claims challenges (Entra's `xms_cc`).
    public var understandsClaimsChallenges: Bool {
        guard let capabilities = claims.json[member: "xms_cc"] else { return false }
        let names =
            capabilities.kind == .array
            ? capabilities.elements.compactMap(\.string) : [capabilities.string].compactMap(\.self)
        return names.contains { $0.lowercased() == "cp1" }
    }

    /// Time of the user's last authentication (`auth_time`, OpenID Connect Core §2). Nil if it is absent or not a valid
    /// date.
    public var authenticationTime: NumericDate? {
        guard let seconds = claims.json[member: "auth_time"]?.real, seconds >= 0 else { return nil }
        return NumericDate(seconds: seconds)
    }
}

/// Evidence that a key of the issuer signed these claims, and that this key may verify the token. With an
/// ``AssumedSignature`` this was assumed, not checked.
///
/// The evidence does not depend on the time of day, on an audience or on a policy.
public struct SignedToken: Sendable {
    public let verifier: TokenVerifier
    public let claims: ClaimsSet
    public let keyID: String?
}

/// The audiences that a verified token names. Read once, then compared with the audiences of each resource.
public struct TokenAudiences: Sendable {
    private let issuer: TrustedIssuer
    private let names: Set<[UInt8]>
    /// True if the token has no `aud`, and the issuer's rules do not require one.
    private let areUnneeded: Bool

    fileprivate init(_ token: VerifiedToken) {
        issuer = token.issuer
        names = Set(token.claims.audiences.compactMap { $0.string.map { Array($0.utf8) } })
        areUnneeded = issuer.audienceTest([]).holds(for: token.claims)
    }

    /// True if the token's audience, by the issuer's rule for `aud`, is one of these.
    public func include(anyOf audiences: [String]) -> Bool {
        areUnneeded || issuer.audiences(naming: audiences).contains { names.contains(Array($0.utf8)) }
    }
}

extension VerifiedToken {
    public var audiences: TokenAudiences { TokenAudiences(self) }
}
