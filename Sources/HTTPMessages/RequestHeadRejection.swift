/// Why a request head is refused; after each of them the connection closes.
public enum RequestHeadRejection: Error, Hashable, Sendable, CaseIterable {
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
    case targetTooLong

    // Request line (RFC 9112 §3)
    case repeatedBlankLine
    case malformedRequestLine
    case invalidMethod
    case miscasedMethod
    case methodNotAllowed
    case malformedVersion
    case versionNotSupported
    case queryNotUTF8
    case fragmentInTarget
    case invalidTargetForm
    case asteriskWithoutOptions
    case invalidTargetAuthority

    // Host (RFC 9112 §3.2)
    case missingHost
    case repeatedHost
    case invalidHost
    case hostContradictsTarget

    // Body framing (RFC 9112 §6)
    case repeatedContentLength
    case malformedContentLength
    case contentLengthTooLarge
    case repeatedTransferEncoding
    case malformedTransferEncoding
    case transferCodingNotSupported
    case transferEncodingInHTTP10
    case transferEncodingWithContentLength

    // Connection and Expect (RFC 9110 §7.6.1, §10.1.1)
    case malformedConnection
    case connectionNominatesProtectedField
    case expectationFailed

    /// What its client is told.
    public var fault: MessageFault {
        switch self {
        case .bareLineFeed, .bareCarriageReturn, .controlByte, .nonASCIIByte, .foldedField, .missingColon,
            .emptyFieldName,
            .invalidFieldName, .whitespaceBeforeColon, .framingLookAlike, .hopByHopLookAlike:
            .badRequest
        case .headTooLarge, .fieldTooLarge, .authorizationTooLong, .tooManyFields, .tooManyConnectionOptions:
            .headTooLarge
        case .targetTooLong:
            .targetTooLong
        case .repeatedBlankLine, .malformedRequestLine, .invalidMethod, .miscasedMethod, .malformedVersion,
            .queryNotUTF8,
            .fragmentInTarget, .invalidTargetForm, .asteriskWithoutOptions, .invalidTargetAuthority:
            .badRequest
        case .methodNotAllowed:
            .methodNotAllowed
        case .versionNotSupported:
            .versionNotSupported
        case .missingHost, .repeatedHost, .invalidHost, .hostContradictsTarget:
            .badRequest
        case .repeatedContentLength, .malformedContentLength, .contentLengthTooLarge, .repeatedTransferEncoding,
            .malformedTransferEncoding, .transferEncodingInHTTP10, .transferEncodingWithContentLength:
            .badRequest
        case .transferCodingNotSupported:
            .codingNotSupported
        case .malformedConnection, .connectionNominatesProtectedField:
            .badRequest
        case .expectationFailed:
            .expectationFailed
        }
    }
}
