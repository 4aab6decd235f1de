/// The cause of an introspection failure.
public enum IntrospectionFault: Sendable, Hashable {
    /// A fault of the issuer or the network. It counts towards a pause. `retryAfter` is the issuer's `Retry-After`.
    case issuer(retryAfter: Duration? = nil)
    /// Another fault, perhaps caused by the token. It must not cause a pause: an untrusted client with unusual tokens
    /// could otherwise block introspection for all other clients.
    case other
}
