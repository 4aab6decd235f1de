import NIOCore

/// What happened on a connection. Events are recorded while the library reads or writes and are handed out afterwards,
/// in order.
public enum HTTP2Event {
    /// A request's head, or the final head of a response.
    case head(HTTP2Stream, FieldBlock, endsStream: Bool)
    /// An interim response (RFC 9110 §15.2); from upstreams only.
    case interim(HTTP2Stream, FieldBlock)
    /// Content, as a slice of what was received; it may be empty where it ends the stream.
    ///
    /// Every byte has to be given back by `consume` once it has been forwarded.
    case data(HTTP2Stream, ByteBuffer, endsStream: Bool)
    /// A trailer section, which always ends the peer's side of the stream.
    case trailers(HTTP2Stream, FieldBlock)
    /// The stream is over. The last event of every stream that had a head.
    case streamClosed(HTTP2Stream, StreamEnd)
    /// A request whose head broke a rule of RFC 9113 §8 or went far beyond the limit; its stream was reset, and there
    /// was no other event for it.
    case requestRefused(HTTP2ErrorCode)
    /// The content that was appended to the stream has been serialized down to the low-water mark.
    case queueDrained(HTTP2Stream)
    /// A head was too large to be sent, and nothing of it was; another may be submitted in its place.
    case headNotSent(HTTP2Stream)
    /// The peer's SETTINGS arrived; ask the session for the values.
    case settings
    /// The acknowledgement of a PING of ours, with its payload.
    case pingAcknowledged(UInt64)
    /// The peer takes no more streams, and processes none above the last (RFC 9113 §6.8).
    case goAway(lastStream: Int32, HTTP2ErrorCode)
    /// The connection is over because of what the peer did. A GOAWAY is in the output.
    case connectionFailed(ConnectionFailure)
}

/// How a stream ended.
public enum StreamEnd: Hashable, Sendable {
    /// Both sides sent everything, or the upload was not needed any more.
    case complete
    /// By the caller.
    case reset(HTTP2ErrorCode)
    /// By the peer.
    case resetByPeer(HTTP2ErrorCode)
    /// By the library, because the peer broke a rule.
    case malformed(HTTP2ErrorCode)
    /// The upstream states that it did nothing with the request, by REFUSED_STREAM or by GOAWAY: it may be sent again
    /// (RFC 9113 §8.7).
    case notProcessed
    /// The request was never written, nor will be: the upstream's limit of streams fell below it, or the connection
    /// ended. It may be sent elsewhere, whatever it is.
    case notSent
}

/// Why a connection ended before its time.
public enum ConnectionFailure: Error, Hashable, Sendable {
    /// The peer broke a rule of the protocol.
    case violation(HTTP2ErrorCode)
    /// The peer's frames cost more than the work that they came with allows.
    case budgetOverdrawn
    /// One field section took too many bytes or frames.
    case fieldSectionTooLong
    /// The library gave up, with its own code.
    case libraryFailure(Int32)

    /// What the GOAWAY states.
    public var code: HTTP2ErrorCode {
        switch self {
        case .violation(let code): code
        case .budgetOverdrawn, .fieldSectionTooLong: .enhanceYourCalm
        case .libraryFailure(let code): Self.code(ofLibraryError: code)
        }
    }
}
