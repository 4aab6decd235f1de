/// Reason why a document is not an answer about a token. The token is then neither active nor inactive, but unknown.
public enum IntrospectionResponseRejection: Error, Sendable, Hashable {
    /// Not one JSON object in UTF-8 (RFC 7662 §2.2), or an ambiguous one.
    case notJSONObject
}
