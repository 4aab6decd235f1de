/// What a session knows of one stream. Pooled.
final class StreamRecord {
    var number: Int32 = 0
    var slot: Int32 = 0

    // MARK: What is received

    /// Whether the caller has heard of it.
    var isAnnounced = false
    /// Whether the head that is not interim has been received.
    var hasFinalHead = false
    /// Received content that was not consumed, in bytes.
    var unconsumed = 0
    /// The code with which the peer reset it.
    var peerReset: HTTP2ErrorCode?

    // MARK: What is sent

    var queue = ContentQueue()
    /// Whether nothing is appended any more.
    var endsWithQueue = false
    var hasTrailers = false
    var trailers = OutgoingFields()
    /// Whether the library asked for content when there was none.
    var isDeferred = false
    /// Whether the queue went above its upper bound, so that someone waits for it.
    var isAwaited = false
    /// Whether the request's head is on its way; of a client.
    var isHeadSent = false
    /// Whether our last frame is on its way.
    var hasEnded = false
    /// Whether the rest of the peer's content is not wanted once we have sent everything.
    var dismissesUpload = false
    /// The code with which the caller reset it.
    var ownReset: HTTP2ErrorCode?

    var stream: HTTP2Stream { HTTP2Stream(number: number, slot: slot) }

    /// Makes it as good as new, with the storage that it has.
    func clear() {
        number = 0
        isAnnounced = false
        hasFinalHead = false
        unconsumed = 0
        peerReset = nil
        queue.removeAll()
        endsWithQueue = false
        hasTrailers = false
        trailers.removeAll()
        isDeferred = false
        isAwaited = false
        isHeadSent = false
        hasEnded = false
        dismissesUpload = false
        ownReset = nil
    }
}

@available(*, unavailable)
extension StreamRecord: Sendable {}
