extension RequestHeadRejection {
    /// The rule that a head breaks, for the operator: a sentence without its full stop.
    public var rule: String {
        switch self {
        case .field(let rejection): rejection.ruleOfRequest
        case .targetTooLong: "the target is longer than `limits.target`"
        case .repeatedBlankLine: "more than one blank line before the request"
        case .malformedRequestLine: "the first line is not method, target and version with one space between"
        case .invalidMethod: "the method is not a token, or is too long"
        case .miscasedMethod: "a registered method is not in capitals"
        case .methodNotAllowed: "CONNECT and TRACE are not forwarded"
        case .malformedVersion: "the first line has no HTTP version"
        case .versionNotSupported: "a version other than HTTP/1.1 and HTTP/1.0"
        case .queryNotUTF8: "a query with bytes above 0x7F that are not UTF-8"
        case .fragmentInTarget: "a `#` in the target"
        case .invalidTargetForm: "the target is neither a path nor an http URL"
        case .asteriskWithoutOptions: "the target `*` is for OPTIONS alone"
        case .invalidTargetAuthority: "the target's host or port is invalid"
        case .missingHost: "there is no `Host`"
        case .repeatedHost: "there is more than one `Host`"
        case .invalidHost: "`Host` is not `host` or `host:port`"
        case .hostContradictsTarget: "`Host` differs from the host in the target"
        case .expectationFailed: "`Expect` is not exactly `100-continue`"
        }
    }

    /// Advice to the operator for fixing the fault. Nil if the rule is advice enough.
    var hint: String? {
        switch self {
        case .field(.nonASCIIByte):
            "Bytes above 0x7F are only allowed in headers that Bearward forwards unread; 0x85 and 0xA0 are not allowed at the ends of a value. "
                + "Have the client escape them."
        case .queryNotUTF8: "Have the client percent-encode the query."
        default: nil
        }
    }

    /// The field that is at fault, if it is only validated after all fields were read. Nil for other rejections.
    var field: KnownField? {
        switch self {
        case .repeatedHost, .invalidHost, .hostContradictsTarget: .host
        case .field(.malformedTransferEncoding), .field(.transferCodingNotSupported),
            .field(.transferEncodingInHTTP10):
            .transferEncoding
        case .field(.malformedConnection), .field(.connectionNominatesProtectedField): .connection
        case .expectationFailed: .expect
        default: nil
        }
    }
}

extension FieldRejection {
    fileprivate var ruleOfRequest: String {
        switch self {
        case .bareLineFeed: "a line ends with LF alone"
        case .bareCarriageReturn: "a CR without LF after it"
        case .controlByte: "a control character"
        case .nonASCIIByte: "a byte above 0x7F where none is allowed"
        case .foldedField: "a field line begins with white space"
        case .missingColon: "a field line has no colon"
        case .emptyFieldName: "a field line has no name"
        case .invalidFieldName: "a field name is not a token"
        case .whitespaceBeforeColon: "white space before a colon"
        case .framingLookAlike: "a name that some servers take for `Content-Length` or `Transfer-Encoding`"
        case .hopByHopLookAlike: "a name that some servers take for a hop-by-hop field"
        case .headTooLarge: "the head is longer than `limits.head`"
        case .fieldTooLarge: "a field is longer than `limits.field`"
        case .authorizationTooLong: "a token's field is longer than `limits.authorization`"
        case .tooManyFields: "more fields than `limits.fields`"
        case .tooManyConnectionOptions: "`Connection` names too many fields"
        case .repeatedContentLength: "there is more than one `Content-Length`"
        case .malformedContentLength: "`Content-Length` is not a plain decimal number"
        case .contentLengthTooLarge: "`Content-Length` is beyond 64 bits"
        case .repeatedTransferEncoding: "there is more than one `Transfer-Encoding`"
        case .malformedTransferEncoding: "`Transfer-Encoding` is malformed"
        case .transferCodingNotSupported: "a transfer coding other than `chunked`"
        case .transferEncodingInHTTP10: "`Transfer-Encoding` in HTTP/1.0"
        case .transferEncodingWithContentLength: "`Transfer-Encoding` beside `Content-Length`"
        case .malformedConnection: "`Connection` is not a list of names"
        case .connectionNominatesProtectedField: "`Connection` names a field that must not be removed"
        }
    }
}

extension RequestMalformation {
    /// The rule of HTTP/2 that a field section breaks, for the operator: a sentence without its full stop.
    var rule: String {
        switch self {
        case .pseudoHeader: "a pseudo-header field is missing, repeated, or not allowed in a request"
        case .latePseudoHeader: "a pseudo-header field after another field"
        case .method: "`:method` is no token"
        case .scheme: "`:scheme` is neither `http` nor `https`"
        case .path: "`:path` does not begin with `/`, or has white space or a control character"
        case .invalidFieldName: "a field name is not a token in lower case"
        case .invalidFieldValue: "a value has a control character, or white space at an end"
        case .connectionField: "a hop-by-hop field, which HTTP/2 forbids"
        case .repeatedHost: "there is more than one `host`"
        case .hostContradictsAuthority: "`host` differs from `:authority`"
        case .contentLength:
            "`content-length` is repeated, is not a plain decimal number, or differs from the length of the content"
        case .fieldSectionTooLarge: "the head is far longer than `limits.head`"
        }
    }
}
