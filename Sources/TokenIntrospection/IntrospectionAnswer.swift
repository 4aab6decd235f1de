/// How a question about a token ended.
public enum IntrospectionAnswer: Sendable {
    /// The issuer answered, now or a short while ago; the caller judges what the answer means.
    case response(IntrospectionResponse)
    /// It cannot be decided at present: 503 `introspection_unavailable`, and when to retry; never less than a second.
    case unavailable(retryAfter: Duration)
}
