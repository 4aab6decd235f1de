/// Reason why a document is not an introspection answer. The token is then neither active nor inactive, but unknown.
public enum IntrospectionResponseRejection: Error, Sendable, Hashable {
    /// The document is not one JSON object in UTF-8 (RFC 7662 §2.2), or is ambiguous.
    case notJSONObject
}
