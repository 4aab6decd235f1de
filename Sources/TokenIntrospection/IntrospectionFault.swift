/// The cause of an introspection failure.
public enum IntrospectionFault: Sendable, Hashable {
    /// The issuer's, or the network's; it counts towards a pause. `retryAfter` is what the issuer asked for.
    case issuer(retryAfter: Duration? = nil)
    /// Not the issuer's, or perhaps the token's. It must not cause a pause, or an untrusted client with odd tokens
    /// could keep all others from being judged.
    case other
}
