/// Why a token was refused, one case per cause, in the words of logs and metrics.
///
/// More may come; none is ever renamed.
public enum TokenRejection: String, Error, Hashable, Sendable, CaseIterable {
    /// Not a compact JWS of three base64url parts, or its header or claims are not one JSON object within the limits.
    case malformed
    /// No dot at all: an opaque token, which only its issuer could judge.
    case opaqueNotSupported = "opaque_not_supported"
    /// `alg` is missing, `none`, symmetric, unknown, or not one this issuer and the key allow.
    case algorithmNotAllowed = "alg_not_allowed"
    /// The header's `typ` is not the one this issuer's access tokens carry (RFC 9068 §2.1).
    case typeMismatch = "typ_mismatch"
    /// The header asks for something that is never honoured: `crit`, `b64`, `zip`, `jku`, `jwk`, `x5u`, `x5c`, encryption.
    case unsupportedHeader = "unsupported_header"
    /// No key of the issuer has this `kid`, or the token names none.
    case unknownKeyID = "unknown_kid"
    /// The signature is not the named key's over exactly these bytes.
    case badSignature = "bad_signature"
    /// The signature could not be judged, for example because memory ran out; never taken as a verdict on the token.
    case verificationUnavailable = "verification_unavailable"
    /// `iss` is missing or none of the issuers this resource trusts.
    case issuerMismatch = "issuer_mismatch"
    /// `aud` is missing, malformed, or names another resource.
    case audienceMismatch = "audience_mismatch"
    /// The claims say that this is another kind of token, such as an ID token.
    case notAccessToken = "not_access_token"
    /// The current time is at or past `exp` plus the leeway.
    case expired
    /// `nbf` or `iat` lie further ahead than the leeway.
    case notYetValid = "not_yet_valid"
    /// `auth_time` is missing where it must be there, or lies ahead.
    case authTimeInvalid = "auth_time_invalid"
    /// The user authenticated longer ago than the issuer's tokens may say.
    case authenticationTooOld = "authentication_too_old"
    /// The token does not agree with itself, or with its issuer, about the tenant it comes from.
    case tenantMismatch = "tenant_mismatch"
    /// A good token of a tenant that is not wanted here.
    case tenantNotAllowed = "tenant_not_allowed"
    /// The key belongs to another issuer of the same platform.
    case keyIssuerMismatch = "key_issuer_mismatch"
    /// The token comes from a user flow or sign-in method that is not wanted here, or was signed by another flow's key.
    case policyNotAllowed = "policy_not_allowed"
    /// The token has a version that is not wanted here.
    case versionNotAllowed = "version_not_allowed"
    /// The token was issued to a client that is not wanted here.
    case clientNotAllowed = "client_not_allowed"
    /// A claim that the operator asks of every token of the issuer is missing, or has another value.
    case claimNotAllowed = "claim_not_allowed"
    /// The token was made for another service of the platform, and only that can verify it.
    case foreignResource = "foreign_resource"
    /// The issuer was asked, and says that the token is not active (RFC 7662 §2.2).
    case inactive
    /// `sub` is present, but not a plausible identifier.
    case subjectInvalid = "subject_invalid"
    /// The token is bound to a key of its holder (`cnf`); it is no bearer token (RFC 9449 §7.2, RFC 8705 §3).
    case boundToken = "bound_token"
    /// A registered claim is missing or not of its type, or the times contradict one another.
    case claimInvalid = "claim_invalid"

    /// What the challenge says of it (RFC 6750 §3.1, RFC 9470 §3).
    public var bearerError: BearerError {
        self == .authenticationTooOld ? .insufficientUserAuthentication : .invalidToken
    }
}
