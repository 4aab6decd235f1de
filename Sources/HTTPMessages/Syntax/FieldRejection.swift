/// Reason to refuse a header section, of a request or of a response.
public enum FieldRejection: Error, Hashable, Sendable, CaseIterable {
    // Bytes and lines (RFC 9112 §2.2, §5)
    case bareLineFeed
    case bareCarriageReturn
    case controlByte
    case nonASCIIByte
    case foldedField
    case missingColon
    case emptyFieldName
    case invalidFieldName
    case whitespaceBeforeColon
    case framingLookAlike
    case hopByHopLookAlike

    // Limits
    case headTooLarge
    case fieldTooLarge
    case authorizationTooLong
    case tooManyFields
    case tooManyConnectionOptions

    // Body framing (RFC 9112 §6)
    case repeatedContentLength
    case malformedContentLength
    case contentLengthTooLarge
    case repeatedTransferEncoding
    case malformedTransferEncoding
    case transferCodingNotSupported
    case transferEncodingInHTTP10
    case transferEncodingWithContentLength

    // Connection (RFC 9110 §7.6.1)
    case malformedConnection
    case connectionNominatesProtectedField
}
