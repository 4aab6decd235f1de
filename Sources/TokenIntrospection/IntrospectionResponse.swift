import StrictJSON
import TokenVerification

/// The issuer's answer about one token (RFC 7662 §2.2).
///
/// Parsed, not verified: issuer, audience, times and client are not checked here.
public struct IntrospectionResponse: Sendable {
    /// The whole answer; its members are named as in a JWT (RFC 7662 §2.2).
    public let claims: ClaimsSet
    /// The bytes of the answer's text, for bounds on what is kept.
    public let byteCount: Int

    /// - Parameter bytes: the body of an answer with status 200, no more than
    ///   ``IntrospectionConfiguration/responseLimit``.
    public init(parsing bytes: Span<UInt8>) throws(IntrospectionResponseRejection) {
        do {
            claims = try ClaimsSet(parsing: bytes)
        } catch {
            throw .notJSONObject
        }
        byteCount = bytes.count
    }

    /// Whether `active` is the JSON value true. The string "true", the number 1 and nothing at all are not.
    public var isActive: Bool { claims.json[member: "active"]?.boolean == true }

    /// `exp`; nil if it is absent or not a number.
    public var expiry: NumericDate? {
        guard let seconds = claims.json[member: "exp"]?.real, seconds.isFinite else { return nil }
        return NumericDate(seconds: seconds)
    }
}

extension IntrospectionResponse {
    /// Time for which the answer may be cached (RFC 7662 §4): up to the limit, and never past the token's own expiry.
    func lifetime(at now: NumericDate, _ configuration: IntrospectionConfiguration) -> Duration {
        guard isActive else { return max(.zero, min(configuration.inactiveCacheLimit, configuration.cacheLimit)) }
        let limit = max(.zero, configuration.cacheLimit)
        guard let expiry else { return limit }
        // In floating point until it is bounded: the number is the issuer's, and a duration cannot hold every number.
        return .seconds(min(limit.inSeconds, max(0, expiry.seconds - now.seconds)))
    }
}
