import StrictJSON
import TokenVerification

/// The issuer's answer about one token (RFC 7662 §2.2).
///
/// Parsed, not verified: issuer, audience, times and client are not checked here.
public struct IntrospectionResponse: Sendable {
    /// The whole answer. Its members have the same names as the claims of a JWT (RFC 7662 §2.2).
    public let claims: ClaimsSet
    /// Size of the answer's text, in bytes; it counts for the limit of the cache.
    public let byteCount: Int

    /// - Parameter bytes: the body of an answer with status 200, at most ``IntrospectionConfiguration/responseLimit``
    ///   bytes.
    public init(parsing bytes: Span<UInt8>) throws(IntrospectionResponseRejection) {
        do {
            claims = try ClaimsSet(parsing: bytes)
        } catch {
            throw .notJSONObject
        }
        byteCount = bytes.count
    }

    /// True if `active` is the JSON value true. False for the string "true", the number 1 and a missing member.
    public var isActive: Bool { claims.json[member: "active"]?.boolean == true }

    /// `exp`. Nil if it is absent or not a number.
    public var expiry: NumericDate? {
        guard let seconds = claims.json[member: "exp"]?.real, seconds.isFinite else { return nil }
        return NumericDate(seconds: seconds)
    }
}

extension IntrospectionResponse {
    /// Time for which the answer may be cached (RFC 7662 §4): up to the configured limit, and never past the token's
    /// `exp`.
    func lifetime(at now: NumericDate, _ configuration: IntrospectionConfiguration) -> Duration {
        guard isActive else { return max(.zero, min(configuration.inactiveCacheLimit, configuration.cacheLimit)) }
        let limit = max(.zero, configuration.cacheLimit)
        guard let expiry else { return limit }
        // Calculated in floating point until it is bounded. The issuer chose the number, and a `Duration` cannot hold
        // every number.
        return .seconds(min(limit.inSeconds, max(0, expiry.seconds - now.seconds)))
    }
}
