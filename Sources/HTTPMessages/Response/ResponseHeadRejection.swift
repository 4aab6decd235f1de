/// Reason why an upstream's response head is not relayed; the upstream connection closes after each of them.
public enum ResponseHeadRejection: Error, Hashable, Sendable {
    /// A reason that a request's head may have too.
    case field(FieldRejection)

    // Status line (RFC 9112 §4)
    case malformedStatusLine
    case versionNotSupported
    case invalidStatus

    // Body framing (RFC 9112 §6)
    case contentLengthWithoutContent
    case transferEncodingWithoutContent
}
