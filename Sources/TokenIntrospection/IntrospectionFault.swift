/// Whose fault it is that a question got no answer.
public enum IntrospectionFault: Sendable, Hashable {
    /// The issuer's, or the way's to it; it counts towards a pause. `retryAfter` is what the issuer asked for.
    case issuer(retryAfter: Duration? = nil)
    /// Not the issuer's, or perhaps the token's. It must not cause a pause, or an untrusted client with odd tokens could keep everybody
    /// else's from being judged.
    case other
}
