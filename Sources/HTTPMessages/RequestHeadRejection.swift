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
    case invalidTargetByte
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

    /// The status of the answer.
    public var status: Int {
        switch self {
        case .bareLineFeed, .bareCarriageReturn, .controlByte, .nonASCIIByte, .foldedField, .missingColon, .emptyFieldName,
            .invalidFieldName, .whitespaceBeforeColon, .framingLookAlike, .hopByHopLookAlike:
            400
        case .headTooLarge, .fieldTooLarge, .authorizationTooLong, .tooManyFields, .tooManyConnectionOptions:
            431
        case .targetTooLong:
            414
        case .repeatedBlankLine, .malformedRequestLine, .invalidMethod, .miscasedMethod, .malformedVersion, .invalidTargetByte,
            .fragmentInTarget, .invalidTargetForm, .asteriskWithoutOptions, .invalidTargetAuthority:
            400
        case .methodNotAllowed:
            405
        case .versionNotSupported:
            505
        case .missingHost, .repeatedHost, .invalidHost, .hostContradictsTarget:
            400
        case .repeatedContentLength, .malformedContentLength, .contentLengthTooLarge, .repeatedTransferEncoding,
            .malformedTransferEncoding, .transferEncodingInHTTP10, .transferEncodingWithContentLength:
            400
        case .transferCodingNotSupported:
            501
        case .malformedConnection, .connectionNominatesProtectedField:
            400
        case .expectationFailed:
            417
        }
    }
}
