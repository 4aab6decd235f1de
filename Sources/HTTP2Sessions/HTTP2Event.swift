import NIOCore

/// An event on a connection. Events are recorded while the library (nghttp2) reads or writes, and delivered afterwards
/// in order.
public enum HTTP2Event {
    /// The head of a request, or the final head of a response.
    case head(HTTP2Stream, FieldBlock, endsStream: Bool)
    /// An interim response (RFC 9110 §15.2), from upstreams only.
    case interim(HTTP2Stream, FieldBlock)
    /// Content, as a slice of the received bytes. May be empty if it ends the stream.
    ///
    /// Return every byte with ``HTTP2Session/consume(_:_:)`` once it has been forwarded.
    case data(HTTP2Stream, ByteBuffer, endsStream: Bool)
    /// A trailer section. It always ends the peer's side of the stream.
    case trailers(HTTP2Stream, FieldBlock)
    /// The stream is closed. The last event of every stream that had a head.
    case streamClosed(HTTP2Stream, StreamEnd)
    /// A request was refused: its head broke a rule of RFC 9113 §8 or far exceeded the limit, or one stream too many
    /// was open. Its stream was reset, and it had no other event.
    case requestRefused(HTTP2ErrorCode)
    /// Queued content of the stream fell to the low-water mark.
    case queueDrained(HTTP2Stream)
    /// A head was too large to be sent. Nothing of it was sent, so another may be submitted.
    case headNotSent(HTTP2Stream)
    /// The peer's SETTINGS arrived. Read the values from the session.
    case settings
    /// Acknowledgement of our PING, with its payload.
    case pingAcknowledged(UInt64)
    /// A GOAWAY: the peer accepts no new streams, and processes none above the last (RFC 9113 §6.8).
    case goAway(lastStream: Int32, HTTP2ErrorCode)
    /// The connection failed because of the peer. A GOAWAY is in the output.
    case connectionFailed(ConnectionFailure)
}

/// Outcome of a stream.
public enum StreamEnd: Hashable, Sendable {
    /// Both sides sent everything, or the rest of the upload was not needed.
    case complete
    /// Reset by the caller.
    case reset(HTTP2ErrorCode)
    /// Reset by the peer.
    case resetByPeer(HTTP2ErrorCode)
    /// Reset by the library because the peer broke a rule.
    case malformed(HTTP2ErrorCode)
    /// The upstream did not process the request (REFUSED_STREAM or GOAWAY), so it may be sent again (RFC 9113 §8.7).
    case notProcessed
    /// The request was never written and will not be, because the upstream's stream limit fell below it or the
    /// connection closed. It may be sent elsewhere, whatever its method.
    case notSent
}

/// Reason why a connection closed early.
public enum ConnectionFailure: Error, Hashable, Sendable {
    /// The peer broke a rule of the protocol.
    case violation(HTTP2ErrorCode)
    /// The peer's frames cost more than its budget allows (``FrameBudget``).
    case budgetOverdrawn
    /// One field section took too many bytes or frames.
    case fieldSectionTooLong
    /// The library failed, with this error code of its own.
    case libraryFailure(Int32)

    /// Error code of the GOAWAY.
    public var code: HTTP2ErrorCode {
        switch self {
        case .violation(let code): code
        case .budgetOverdrawn, .fieldSectionTooLong: .enhanceYourCalm
        case .libraryFailure(let code): Self.code(ofLibraryError: code)
        }
    }
}
