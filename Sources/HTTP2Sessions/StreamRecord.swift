/// What a session knows of one stream. Pooled.
///
/// Reached by its session alone, so its properties need as few checks as the session's (``HTTP2Session``).
final class StreamRecord {
    @safe @exclusivity(unchecked) var number: Int32 = 0
    @safe @exclusivity(unchecked) var slot: Int32 = 0

    // MARK: What is received

    /// Whether the caller has heard of it.
    @safe @exclusivity(unchecked) var isAnnounced = false
    /// Whether the head that is not interim has been received.
    @safe @exclusivity(unchecked) var hasFinalHead = false
    /// Received content that was not consumed, in bytes.
    @safe @exclusivity(unchecked) var unconsumed = 0
    /// Content that was consumed, and whose window is withheld.
    @safe @exclusivity(unchecked) var withheld = 0
    /// The code with which the peer reset it.
    @safe @exclusivity(unchecked) var peerReset: HTTP2ErrorCode?

    // MARK: What is sent

    @safe @exclusivity(unchecked) var queue = ContentQueue()
    /// Whether nothing is appended any more.
    @safe @exclusivity(unchecked) var endsWithQueue = false
    @safe @exclusivity(unchecked) var hasTrailers = false
    @safe @exclusivity(unchecked) var trailers = OutgoingFields()
    /// Whether the library asked for content when there was none.
    @safe @exclusivity(unchecked) var isDeferred = false
    /// Whether the queue went above its upper bound, so that someone waits for it.
    @safe @exclusivity(unchecked) var isAwaited = false
    /// Whether the whole head of the request is serialized; of a client.
    @safe @exclusivity(unchecked) var isHeadSent = false
    /// Whether our last frame is on its way.
    @safe @exclusivity(unchecked) var hasEnded = false
    /// Whether the rest of the peer's content is not wanted once we have sent everything.
    @safe @exclusivity(unchecked) var dismissesUpload = false
    /// The code with which the caller reset it.
    @safe @exclusivity(unchecked) var ownReset: HTTP2ErrorCode?

    var stream: HTTP2Stream { HTTP2Stream(number: number, slot: slot) }

    /// Resets it and keeps its storage.
    func clear() {
        number = 0
        isAnnounced = false
        hasFinalHead = false
        unconsumed = 0
        withheld = 0
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
