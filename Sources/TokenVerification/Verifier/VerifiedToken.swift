import JOSE
import StrictJSON

/// A token that passed every check of its issuer for one audience at one time; only `TokenVerifier` makes one.
///
/// Whether it may do what the request asks is still to be decided: that is the access policy's part. A class, because
/// it is passed along for as long as its request lasts.
public final class VerifiedToken: Sendable {
    /// The verifier whose rules the token met.
    public let verifier: TokenVerifier
    /// The claims as the issuer signed them, or as it answered when it was asked.
    public let claims: ClaimsSet
    public let keyID: String?
    /// Time of expiry, without leeway. Nil only for an opaque token whose issuer did not state it.
    public let expiration: NumericDate?
    /// Its subject, where the issuer states one.
    public let subject: String?

    init(verifier: TokenVerifier, claims: ClaimsSet, keyID: String?, expiration: NumericDate?, subject: String?) {
        self.verifier = verifier
        self.claims = claims
        self.keyID = keyID
        self.expiration = expiration
        self.subject = subject
    }

    /// The rules that it met.
    public var issuer: TrustedIssuer { verifier.issuer }

    /// `iss` as the token has it; an opaque token's issuer may not have said it.
    public var issuerIdentifier: String { claims.issuer ?? verifier.issuer.identifier }

    /// The later of `nbf` and `iat`, in seconds; negative infinity without either.
    public var latestStart: Double {
        [claims.json[member: "nbf"], claims.json[member: "iat"]].compactMap { $0?.real }.max() ?? -.infinity
    }

    /// Whether `iat` is there.
    public var saysWhenIssued: Bool { claims.json[member: "iat"] != nil }

    /// `jti`.
    public var tokenID: String? { claims.tokenID }

    /// The client that the token was issued to.
    public var clientID: String? { claims.identifier(of: verifier.issuer.clientClaims) }

    /// The scopes, in the token's order, without the prefix that the issuer puts before them.
    public var scopes: [String] { verifier.issuer.scopes(in: claims) }

    /// The roles, in the token's order.
    public var roles: [String] { verifier.issuer.roleClaims.flatMap { $0.roles(in: claims.json) } }

    /// The organisation that the token is for.
    public var organization: String? {
        if let organization = claims.first(of: verifier.issuer.organizationClaims)?.string { return organization }
        guard let prefix = verifier.issuer.organizationAudiencePrefix,
            let audience = claims.json[member: "aud"]?.string,
            audience.utf8.starts(with: prefix.utf8)
        else { return nil }
        return String(audience.utf8.dropFirst(prefix.utf8.count))
    }

    /// Whether the token may only be used by rules that ask for an organisation.
    public var isOnlyForOrganizationRules: Bool {
        issuer.organizationUse == .onlyWhereAsked && claims.first(of: issuer.organizationClaims) != nil
    }

    /// The directory or tenant that the subject belongs to.
    public var tenant: String? { claims.first(of: verifier.issuer.tenantClaims)?.string }

    /// Whether the client announced that it understands claims challenges (Entra's `xms_cc`).
    public var understandsClaimsChallenges: Bool {
        guard let capabilities = claims.json[member: "xms_cc"] else { return false }
        let names =
            capabilities.kind == .array
            ? capabilities.elements.compactMap(\.string) : [capabilities.string].compactMap(\.self)
        return names.contains { $0.lowercased() == "cp1" }
    }

    /// Time of the user's last authentication (`auth_time`, OpenID Connect Core §2). Nil if absent or not a plausible
    /// date.
    public var authenticationTime: NumericDate? {
        guard let seconds = claims.json[member: "auth_time"]?.real, seconds >= 0 else { return nil }
        return NumericDate(seconds: seconds)
    }
}

/// Evidence that exactly these bytes were signed by this key of this issuer, that the key may vouch for them, and that
/// they say these claims. Only with an ``AssumedSignature`` was that taken for granted.
///
/// Nothing in it depends on the time of day, on an audience or on a policy.
public struct SignedToken: Sendable {
    public let verifier: TokenVerifier
    public let claims: ClaimsSet
    public let keyID: String?
}

/// The audiences that a verified token names, read once for as many questions as there are resources.
public struct TokenAudiences: Sendable {
    private let issuer: TrustedIssuer
    private let names: Set<[UInt8]>
    /// Whether the token has no `aud`, and its issuer's tokens need none.
    private let areUnneeded: Bool

    fileprivate init(_ token: VerifiedToken) {
        issuer = token.issuer
        names = Set(token.claims.audiences.compactMap { $0.string.map { Array($0.utf8) } })
        areUnneeded = issuer.audienceTest([]).holds(for: token.claims)
    }

    /// Whether the token's audience, as its issuer understands it, is one of these.
    public func include(anyOf audiences: [String]) -> Bool {
        areUnneeded || issuer.audiences(naming: audiences).contains { names.contains(Array($0.utf8)) }
    }
}

extension VerifiedToken {
    public var audiences: TokenAudiences { TokenAudiences(self) }
}
