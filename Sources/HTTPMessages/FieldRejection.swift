/// Why a header section is refused, whichever message it belongs to.
enum FieldRejection: Error, Hashable {
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
    case headTooLarge
    case fieldTooLarge
    case authorizationTooLong
    case tooManyFields
    case tooManyConnectionOptions
    case repeatedContentLength
    case malformedContentLength
    case contentLengthTooLarge
    case repeatedTransferEncoding
    case malformedTransferEncoding
    case transferCodingNotSupported
    case transferEncodingInHTTP10
    case transferEncodingWithContentLength
    case malformedConnection
    case connectionNominatesProtectedField
}

extension RequestHeadRejection {
    init(_ rejection: FieldRejection) {
        self =
            switch rejection {
            case .bareLineFeed: .bareLineFeed
            case .bareCarriageReturn: .bareCarriageReturn
            case .controlByte: .controlByte
            case .nonASCIIByte: .nonASCIIByte
            case .foldedField: .foldedField
            case .missingColon: .missingColon
            case .emptyFieldName: .emptyFieldName
            case .invalidFieldName: .invalidFieldName
            case .whitespaceBeforeColon: .whitespaceBeforeColon
            case .framingLookAlike: .framingLookAlike
            case .hopByHopLookAlike: .hopByHopLookAlike
            case .headTooLarge: .headTooLarge
            case .fieldTooLarge: .fieldTooLarge
            case .authorizationTooLong: .authorizationTooLong
            case .tooManyFields: .tooManyFields
            case .tooManyConnectionOptions: .tooManyConnectionOptions
            case .repeatedContentLength: .repeatedContentLength
            case .malformedContentLength: .malformedContentLength
            case .contentLengthTooLarge: .contentLengthTooLarge
            case .repeatedTransferEncoding: .repeatedTransferEncoding
            case .malformedTransferEncoding: .malformedTransferEncoding
            case .transferCodingNotSupported: .transferCodingNotSupported
            case .transferEncodingInHTTP10: .transferEncodingInHTTP10
            case .transferEncodingWithContentLength: .transferEncodingWithContentLength
            case .malformedConnection: .malformedConnection
            case .connectionNominatesProtectedField: .connectionNominatesProtectedField
            }
    }
}

extension ResponseHeadRejection {
    init(_ rejection: FieldRejection) {
        self =
            switch rejection {
            case .bareLineFeed: .bareLineFeed
            case .bareCarriageReturn: .bareCarriageReturn
            case .controlByte: .controlByte
            case .foldedField: .foldedField
            case .missingColon: .missingColon
            case .emptyFieldName: .emptyFieldName
            // Values may hold obs-text here, so such a byte is out of place in a name alone.
            case .invalidFieldName, .nonASCIIByte: .invalidFieldName
            case .whitespaceBeforeColon: .whitespaceBeforeColon
            case .framingLookAlike: .framingLookAlike
            case .hopByHopLookAlike: .hopByHopLookAlike
            case .headTooLarge: .headTooLarge
            case .fieldTooLarge, .authorizationTooLong: .fieldTooLarge
            case .tooManyFields: .tooManyFields
            case .tooManyConnectionOptions: .tooManyConnectionOptions
            case .repeatedContentLength: .repeatedContentLength
            case .malformedContentLength: .malformedContentLength
            case .contentLengthTooLarge: .contentLengthTooLarge
            case .repeatedTransferEncoding: .repeatedTransferEncoding
            case .malformedTransferEncoding: .malformedTransferEncoding
            case .transferCodingNotSupported: .transferCodingNotSupported
            case .transferEncodingInHTTP10: .transferEncodingInHTTP10
            case .transferEncodingWithContentLength: .transferEncodingWithContentLength
            case .malformedConnection: .malformedConnection
            case .connectionNominatesProtectedField: .connectionNominatesProtectedField
            }
    }
}
