/// What a client may still send on streams that are over (RFC 9113 §5.1).
///
/// The library skips all of it in silence. That is right for what was on its way when we reset a stream; anything else
/// is a client that has lost count.
struct ClosedStreams {
    /// The highest number that a client has used.
    private var highest: Int32 = 0
    private var count: Int32 = 0
    /// Streams that we have reset, the oldest of which is forgotten first.
    private var reset: ContiguousArray<Int32> = []
    private var oldest = 0

    /// With a client that has a hundred streams at once, each of them ten times over.
    private static let remembered = 1024

    mutating func opened(_ number: Int32) {
        highest = max(highest, number)
        count &+= 1
    }

    mutating func reset(_ number: Int32) {
        if reset.count < Self.remembered {
            reset.append(number)
        } else {
            reset[oldest % Self.remembered] = number  // in bounds: that many are there
            oldest &+= 1
        }
    }

    /// Resets the stream of a frame that cannot come any more.
    ///
    /// A frame that follows the end of its stream within one read is not noticed, and skipped.
    ///
    /// - Returns: why the connection ends, if it does.
    func judge(_ frame: FrameScanner.Frame, _ library: borrowing LibrarySession) -> ConnectionFailure? {
        guard frame.kind == .headers || frame.kind == .data, frame.stream > 0, frame.stream <= highest,
            frame.stream & 1 == 1, !library.knows(frame.stream), !reset.contains(frame.stream)
        else { return nil }
        // Numbers only rise (§5.1.1). If none was left out, this one was used.
        let wasUsed = frame.kind == .data || highest == 2 &* count &- 1
        guard wasUsed else { return .violation(.protocolError) }
        library.reset(frame.stream, .streamClosed)
        return nil
    }
}
