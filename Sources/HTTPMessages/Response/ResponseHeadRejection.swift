/// Reason not to relay an upstream's response head. Each of them closes the upstream connection.
public enum ResponseHeadRejection: Error, Hashable, Sendable {
    /// A reason that also applies to request heads.
    case field(FieldRejection)

    // Status line (RFC 9112 §4)
    case malformedStatusLine
    case versionNotSupported
    case invalidStatus

    // Body framing (RFC 9112 §6)
    case contentLengthWithoutContent
    case transferEncodingWithoutContent
}
