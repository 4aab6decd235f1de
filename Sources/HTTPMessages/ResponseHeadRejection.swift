/// Why an upstream's response head is not relayed; after each of them the upstream connection closes.
public enum ResponseHeadRejection: Error, Hashable, Sendable, CaseIterable {
    // Bytes and lines (RFC 9112 §2.2, §5)
    case bareLineFeed
    case bareCarriageReturn
    case controlByte
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
    case tooManyFields
    case tooManyConnectionOptions

    // Status line (RFC 9112 §4)
    case malformedStatusLine
    case versionNotSupported
    case invalidStatus

    // Body framing (RFC 9112 §6)
    case repeatedContentLength
    case malformedContentLength
    case contentLengthTooLarge
    case contentLengthWithoutContent
    case repeatedTransferEncoding
    case malformedTransferEncoding
    case transferCodingNotSupported
    case transferEncodingInHTTP10
    case transferEncodingWithContentLength
    case transferEncodingWithoutContent

    // Connection (RFC 9110 §7.6.1)
    case malformedConnection
    case connectionNominatesProtectedField
}
