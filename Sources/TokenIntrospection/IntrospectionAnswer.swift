/// How a question about a token ended.
public enum IntrospectionAnswer: Sendable {
    /// The issuer answered, now or a short while ago; what the answer means is judged by whoever asked.
    case response(IntrospectionResponse)
    /// Nobody can say at present: 503 `introspection_unavailable`, and when to come back; never less than a second.
    case unavailable(retryAfter: Duration)
}
