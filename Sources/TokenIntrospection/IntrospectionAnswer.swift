/// Answer to a request that asked about an opaque token.
public enum IntrospectionAnswer: Sendable {
    /// The issuer's answer, new or cached. The caller still has to verify it.
    case response(IntrospectionResponse)
    /// Introspection is not available now: 503 `introspection_unavailable`, with the time until a retry, at least a
    /// second.
    case unavailable(retryAfter: Duration)
}
