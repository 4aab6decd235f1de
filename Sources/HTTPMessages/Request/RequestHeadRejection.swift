/// Reason to refuse a request head. Each of them closes the connection.
public enum RequestHeadRejection: Error, Hashable, Sendable {
    /// A reason that also applies to response heads.
    case field(FieldRejection)

    // Request line (RFC 9112 §3)
    case targetTooLong
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

    // Expect (RFC 9110 §10.1.1)
    case expectationFailed

    /// The fault that determines the status sent to the client.
    public var fault: MessageFault {
        switch self {
        case .field(let rejection):
            rejection.faultInRequest
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
        case .expectationFailed:
            .expectationFailed
        }
    }
}

extension FieldRejection {
    fileprivate var faultInRequest: MessageFault {
        switch self {
        case .bareLineFeed, .bareCarriageReturn, .controlByte, .nonASCIIByte, .foldedField, .missingColon,
            .emptyFieldName, .invalidFieldName, .whitespaceBeforeColon, .framingLookAlike, .hopByHopLookAlike:
            .badRequest
        case .headTooLarge, .fieldTooLarge, .authorizationTooLong, .tooManyFields, .tooManyConnectionOptions:
            .headTooLarge
        case .repeatedContentLength, .malformedContentLength, .contentLengthTooLarge, .repeatedTransferEncoding,
            .malformedTransferEncoding, .transferEncodingInHTTP10, .transferEncodingWithContentLength:
            .badRequest
        case .transferCodingNotSupported:
            .codingNotSupported
        case .malformedConnection, .connectionNominatesProtectedField:
            .badRequest
        }
    }
}
