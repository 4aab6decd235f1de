import NIOHTTP2

extension NIOHTTP2Errors {
    /// Whether what is wrong is wrong with one request, so that the others on the connection have nothing to do with it.
    static func concernsOneStream(_ error: any Error) -> Bool {
        switch error {
        case is NIOHTTP2Errors.MissingPseudoHeader, is NIOHTTP2Errors.DuplicatePseudoHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
            is NIOHTTP2Errors.UnsupportedPseudoHeader, is NIOHTTP2Errors.InvalidPseudoHeaders, is NIOHTTP2Errors.InvalidPseudoHeaderValue,
            is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.EmptyPathHeader, is NIOHTTP2Errors.ForbiddenHeaderField,
            is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue,
            is NIOHTTP2Errors.TrailersWithoutEndStream,
            is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.ContentLengthHeadersMismatch,
            is NIOHTTP2Errors.ContentLengthHeaderNegative, is NIOHTTP2Errors.ContentLengthHeaderMalformedValue,
            is NIOHTTP2Errors.StreamClosed:
            true
        default: false
        }
    }
}
