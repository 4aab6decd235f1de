import JOSE
import StrictJSON

/// A token that passed every check of its issuer for one audience at one time; only `TokenVerifier` makes one.
///
/// Whether it may do what the request asks is still to be decided: that is the access policy's part. A reference, because it goes from
/// hand to hand for as long as its request lasts.
public final class VerifiedToken: Sendable {
    public let issuer: TrustedIssuer
    /// The claims as the issuer signed them.
    public let claims: ClaimsSet
    public let keyID: String?
    /// When it expires, without leeway.
    public let expiration: NumericDate
    /// `sub`, where the issuer gives one.
    public let subject: String?

    init(_ signed: SignedToken, expiration: NumericDate, subject: String?) {
        issuer = signed.issuer
        claims = signed.claims
        keyID = signed.keyID
        self.expiration = expiration
        self.subject = subject
    }

    /// `jti`.
    public var tokenID: String? { claims.tokenID }

    /// The client that the token was issued to.
    public var clientID: String? { claims.first(of: issuer.clientClaims)?.string }

    /// The scopes, in the token's order.
    public var scopes: [String] { claims.strings(in: issuer.scopeClaims) }

    /// The roles, in the token's order.
    public var roles: [String] { claims.roles(in: issuer.roleClaims) }

    /// The organisation that the token is for.
    public var organization: String? { claims.first(of: issuer.organizationClaims)?.string }

    /// The directory or tenant that the subject belongs to.
    public var tenant: String? { claims.first(of: issuer.tenantClaims)?.string }

    /// When the user last authenticated (`auth_time`, OpenID Connect Core §2); nil if absent or no sensible date.
    public var authenticationTime: NumericDate? {
        guard let seconds = claims.json[member: "auth_time"]?.real, seconds >= 0 else { return nil }
        return NumericDate(seconds: seconds)
    }

    /// Whether the claim the issuer keeps scopes in has this one (RFC 6749 §3.3: case-sensitive, whole).
    public func hasScope(_ scope: String) -> Bool {
        guard let claim = claims.first(of: issuer.scopeClaims) else { return false }
        return claim.kind == .string ? claim.hasWord(scope) : ClaimScalar.string(scope).isHeld(by: claim)
    }
}

extension JSONValue {
    /// Whether one of the words of a string is this one; words are what stands between spaces (RFC 6749 §3.3).
    fileprivate func hasWord(_ word: String) -> Bool {
        withStringBytes { bytes in
            var start = 0
            for index in 0...bytes.count where index == bytes.count || bytes[index] == UInt8(ascii: " ") {
                if bytes.extracting(start..<index).equals(word.utf8.span) { return true }
                start = index &+ 1
            }
            return false
        } ?? false
    }
}

extension Span<UInt8> {
    fileprivate func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count, !isEmpty else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}

extension ClaimsSet {
    /// Roles of every listed claim together; a string is one role.
    fileprivate func roles(in paths: [ClaimPath]) -> [String] {
        paths.flatMap { path -> [String] in
            guard let claim = path.value(in: json) else { return [] }
            return claim.kind == .array ? claim.elements.compactMap(\.string) : claim.string.map { [$0] } ?? []
        }
    }
}
