import HTTPMessages
import ProxySettings

/// Text of the fault in the access log.
extension ResponseFault {
    var text: String {
        switch self {
        case .head(let rejection): rejection.text
        case .body(let rejection): rejection.text
        case .section(let malformation): malformation.text
        case .trailers(let malformation): malformation.text
        case .frames: "its frames break a rule of HTTP/2 (RFC 9113 §8.1)"
        case .interimResponses: "more than \(FixedLimits.interimResponses) interim responses (1xx) come before it"
        case .protocolSwitch: "its status is 101, but it does not answer a WebSocket handshake"
        case .unofferedProtocol:
            "its status is 101, and `Sec-WebSocket-Protocol` is not exactly one protocol that the client offered"
        case .noProtocolSwitch: "its status is 2xx, but a WebSocket handshake is accepted with 101"
        }
    }
}

extension ResponseHeadRejection {
    fileprivate var text: String {
        switch self {
        case .field(let rejection): rejection.text
        case .malformedStatusLine: "its first line is not a status line"
        case .versionNotSupported: "its version is neither HTTP/1.1 nor HTTP/1.0"
        case .invalidStatus: "its status is not within 100 and 599"
        case .contentLengthWithoutContent: "`Content-Length` announces content that this status cannot have"
        case .transferEncodingWithoutContent: "`Transfer-Encoding` announces content that this status cannot have"
        }
    }
}

extension FieldRejection {
    fileprivate var text: String {
        switch self {
        case .bareLineFeed: "a line of its head ends with LF alone"
        case .bareCarriageReturn: "its head has a CR within a line"
        case .controlByte: "its head has a control byte"
        case .foldedField: "a field continues in a second line"
        case .missingColon: "a field has no colon"
        case .emptyFieldName: "a field has no name"
        // Only a request is refused for a byte above 0x7F.
        case .invalidFieldName, .nonASCIIByte:
            "the name of a field has a character that names cannot have"
        case .whitespaceBeforeColon: "a field has white space before its colon"
        case .framingLookAlike:
            "the name of a field is `Content-Length` or `Transfer-Encoding` with another character for the hyphen"
        case .hopByHopLookAlike: "the name of a field about the connection has another character for the hyphen"
        case .headTooLarge: "its head is longer than 128 KiB, or than `limits.head` if that is more"
        case .fieldTooLarge, .authorizationTooLong:
            "a field is longer than 32 KiB, or than `limits.field` if that is more"
        case .tooManyFields: "its head has more than 200 fields, or than `limits.fields` if that is more"
        case .tooManyConnectionOptions: "`Connection` names too many fields"
        case .repeatedContentLength: "`Content-Length` is repeated"
        case .malformedContentLength: "`Content-Length` is not one number without sign and leading zero"
        case .contentLengthTooLarge: "`Content-Length` is too large a number"
        case .repeatedTransferEncoding: "`Transfer-Encoding` is repeated"
        case .malformedTransferEncoding: "`Transfer-Encoding` is malformed, or has `chunked` more than once"
        case .transferCodingNotSupported: "`Transfer-Encoding` is not `chunked` alone"
        case .transferEncodingInHTTP10: "`Transfer-Encoding` is in a response of HTTP/1.0"
        case .transferEncodingWithContentLength: "it has both `Content-Length` and `Transfer-Encoding`"
        case .malformedConnection: "`Connection` has an option that is no name"
        case .connectionNominatesProtectedField: "`Connection` names a field that must not be removed"
        }
    }
}

extension ChunkRejection {
    fileprivate var text: String {
        switch self {
        case .missingSize: "a chunk has no size"
        case .invalidSize: "the size of a chunk is no hexadecimal number"
        case .sizeTooLong: "the size of a chunk has more than eight digits"
        case .malformedExtension: "the extension of a chunk is malformed"
        case .extensionTooLong: "the extension of a chunk is too long"
        case .tooManyExtensionBytes: "the extensions of its chunks are too long in all"
        case .bareLineFeed: "a line of its chunked framing ends with LF alone"
        case .bareCarriageReturn: "a line of its chunked framing has a CR that no LF follows"
        case .dataNotTerminated: "a chunk's data is not followed by CR LF"
        case .controlByteInTrailer: "its trailer section has a control byte"
        case .foldedTrailer: "a trailer field continues in a second line"
        case .missingColonInTrailer: "a trailer field has no colon"
        case .emptyTrailerName: "a trailer field has no name"
        case .invalidTrailerName: "the name of a trailer field has a character that names cannot have"
        case .trailersTooLarge: "its trailer section is too long"
        case .tooManyTrailers: "its trailer section has too many fields"
        }
    }
}

extension ResponseMalformation {
    fileprivate var text: String {
        switch self {
        case .pseudoHeader: "`:status` is missing, repeated, not first, or not the only pseudo-header field"
        case .status: "`:status` is not a status that HTTP/2 allows there"
        case .invalidField: "a field has a name or value that HTTP/2 does not allow"
        case .connectionField: "it has a connection-specific field, which HTTP/2 forbids"
        case .contentLength:
            "`content-length` is repeated, is not a number, or announces content where the response ends"
        case .fieldSectionTooLarge: "its field section is several times longer than a head may be"
        }
    }
}

extension TrailerMalformation {
    fileprivate var text: String {
        switch self {
        case .pseudoHeader: "its trailer section has a pseudo-header field"
        case .invalidField: "a trailer field has a name or value that HTTP/2 does not allow"
        case .connectionField: "a trailer field is connection-specific, which HTTP/2 forbids"
        case .tooManyFields: "its trailer section has more fields than a head may"
        case .sectionTooLarge: "its trailer section is longer than it may be"
        }
    }
}
