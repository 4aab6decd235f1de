/// Request fields that pages may send, besides `Content-Type` and the field of the token (CORS).
public enum AllowedRequestFields: Sendable, Hashable {
    /// Every field that a preflight names.
    case any
    case listed([String])
}

extension AllowedRequestFields: ExpressibleByArrayLiteral {
    public init(arrayLiteral names: String...) { self = .listed(names) }
}
