/// Result of a question about a token.
public enum IntrospectionAnswer: Sendable {
    /// The issuer answered, now or a short while ago; the caller judges what the answer means.
    case response(IntrospectionResponse)
    /// No decision is possible now: 503 `introspection_unavailable`, with the time until a retry, at least a second.
    case unavailable(retryAfter: Duration)
}
