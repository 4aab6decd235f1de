/// The streams of a session that live, by their slots.
struct StreamTable {
    private var records: ContiguousArray<StreamRecord?> = []
    private var freeSlots: ContiguousArray<Int32> = []
    private(set) var count = 0

    /// Gives a record a slot.
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

    /// Takes a stream out; its slot is used again once it is released.
    mutating func remove(_ record: StreamRecord) {
        guard self.record(in: record.slot, number: record.number) === record else { return }
        records[Int(record.slot)] = nil  // in bounds: it was just found there
        count &-= 1
    }

    mutating func release(_ slot: Int32) { freeSlots.append(slot) }

    /// The stream in a slot, if it is the one that is meant.
    func record(in slot: Int32, number: Int32) -> StreamRecord? {
        let index = Int(slot)
        guard records.indices.contains(index), let record = records[index], record.number == number else { return nil }
        return record
    }

    func record(of stream: HTTP2Stream) -> StreamRecord? { record(in: stream.slot, number: stream.number) }

    var all: [StreamRecord] { records.compactMap(\.self) }
}

/// One stream of a session (RFC 9113 §5).
///
/// A handle that has outlived its stream is harmless: what is done with it is ignored.
public struct HTTP2Stream: Hashable, Sendable {
    /// Its identifier on the wire; never used twice on a connection.
    public let number: Int32
    /// Its index among the streams that live at the same time: small and dense, so that the caller may keep its own
    /// state of a stream in an array. It is used again once the stream's end has been reported.
    public let slot: Int32

    /// No stream: what is done with it is ignored.
    public static var none: HTTP2Stream { HTTP2Stream(number: 0, slot: -1) }
}

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
