import CNGHTTP2

extension ConnectionFailure {
    /// Maps a fatal error of the library (nghttp2) to the error code sent to the peer.
    static func code(ofLibraryError error: Int32) -> HTTP2ErrorCode {
        switch error {
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: .protocolError
        case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .enhanceYourCalm
        default: .internalError
        }
    }
}
