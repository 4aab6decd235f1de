/// Open streams of a session, by slot.
struct StreamTable {
    private var records: ContiguousArray<StreamRecord?> = []
    private var freeSlots: ContiguousArray<Int32> = []
    private(set) var count = 0

    /// Inserts a record and assigns it a slot.
    mutating func insert(_ record: StreamRecord, number: Int32) {
        record.number = number
        count &+= 1
        if let slot = freeSlots.popLast(), records.indices.contains(Int(slot)) {
            record.slot = slot
            records[Int(slot)] = record
        } else {
            record.slot = Int32(truncatingIfNeeded: records.count)
            records.append(record)
        }
    }

    /// Removes a stream. Its slot is reused only after `release`.
    mutating func remove(_ record: StreamRecord) {
        guard self.record(in: record.slot, number: record.number) === record else { return }
        records[Int(record.slot)] = nil  // in bounds: it was just found there
        count &-= 1
    }

    mutating func release(_ slot: Int32) { freeSlots.append(slot) }

    /// The stream in a slot. Nil if the slot now holds another stream, or none.
    func record(in slot: Int32, number: Int32) -> StreamRecord? {
        let index = Int(slot)
        guard records.indices.contains(index), let record = records[index], record.number == number else { return nil }
        return record
    }

    func record(of stream: HTTP2Stream) -> StreamRecord? { record(in: stream.slot, number: stream.number) }

    var all: [StreamRecord] { records.compactMap(\.self) }
}

/// Handle to one stream of a session (RFC 9113 §5).
///
/// A handle may outlive its stream: calls with it are then ignored.
public struct HTTP2Stream: Hashable, Sendable {
    /// Stream identifier on the wire, never reused on a connection.
    public let number: Int32
    /// Index among the open streams. Slots are small and dense, so the caller may keep its state of a stream in an
    /// array. Reused once the end of the stream has been reported.
    public let slot: Int32

    /// A handle to no stream: calls with it are ignored.
    public static var none: HTTP2Stream { HTTP2Stream(number: 0, slot: -1) }
}

/// State of one stream in a session. Pooled.
///
/// Only its session uses it, so its properties need as few exclusivity checks as the session's (``HTTP2Session``).
final class StreamRecord {
    @safe @exclusivity(unchecked) var number: Int32 = 0
    @safe @exclusivity(unchecked) var slot: Int32 = 0

    // MARK: Receiving

    /// True if the caller has received an event for it.
    @safe @exclusivity(unchecked) var isAnnounced = false
    /// True if the final head (not interim) has been received.
    @safe @exclusivity(unchecked) var hasFinalHead = false
    /// Received content that was not consumed, in bytes.
    @safe @exclusivity(unchecked) var unconsumed = 0
    /// Consumed content whose window has not been returned to the peer, in bytes.
    @safe @exclusivity(unchecked) var withheld = 0
    /// Error code of the peer's RST_STREAM. Nil if the peer did not reset it.
    @safe @exclusivity(unchecked) var peerReset: HTTP2ErrorCode?

    // MARK: Sending

    @safe @exclusivity(unchecked) var queue = ContentQueue()
    /// True if no more content will be appended.
    @safe @exclusivity(unchecked) var endsWithQueue = false
    @safe @exclusivity(unchecked) var hasTrailers = false
    @safe @exclusivity(unchecked) var trailers = OutgoingFields()
    /// True if the library asked for content when there was none.
    @safe @exclusivity(unchecked) var isDeferred = false
    /// True if the queue exceeded its upper bound, so the caller waits for `queueDrained`.
    @safe @exclusivity(unchecked) var isAwaited = false
    /// True if the whole head of the request is serialized. Used only on connections to upstreams.
    @safe @exclusivity(unchecked) var isHeadSent = false
    /// True if our last frame (END_STREAM) was serialized.
    @safe @exclusivity(unchecked) var hasEnded = false
    /// True if the rest of the peer's content is not needed once we have sent everything.
    @safe @exclusivity(unchecked) var dismissesUpload = false
    /// Error code with which the caller reset it. Nil if it did not.
    @safe @exclusivity(unchecked) var ownReset: HTTP2ErrorCode?

    var stream: HTTP2Stream { HTTP2Stream(number: number, slot: slot) }

    /// Clears the state for reuse and keeps the storage.
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
