/// Checks frames that a client sends on closed streams (RFC 9113 §5.1).
///
/// The library (nghttp2) silently skips all of them. That is right for frames in flight when we reset the stream; any
/// other frame is an error of the client. Frames are checked before the library reads them.
struct ClosedStreams {
    /// Highest stream identifier that the client has used.
    private var highest: Int32 = 0
    private var count: Int32 = 0
    /// Streams that we have reset: a ring that overwrites the oldest.
    private var reset: ContiguousArray<Int32> = []
    private var oldest = 0

    /// Streams that begin in the bytes that are being read, in ascending order.
    private var begun: ContiguousArray<Int32> = []
    /// Streams that the client resets in the bytes that are being read.
    private var cancelled: ContiguousArray<Int32> = []

    /// Closed streams that received a forbidden frame.
    private var late: ContiguousArray<Int32> = []

    /// Size of the ring: a client with a hundred open streams can have each of them reset ten times.
    private static let remembered = 1024
    /// Streams that one read ordinarily begins or cancels; larger storage is released.
    private static let ordinary = 64

    mutating func reset(_ number: Int32) {
        if reset.count < Self.remembered {
            reset.append(number)
        } else {
            reset[oldest % Self.remembered] = number  // in bounds: that many are there
            oldest &+= 1
        }
    }

    /// Called after the library has read all judged frames. Resets the streams that received forbidden frames.
    mutating func readEnded(_ library: borrowing LibrarySession) {
        for number in late { library.reset(number, .streamClosed) }
        if !late.isEmpty { late = [] }
        if !begun.isEmpty { begun.removeAll(keepingCapacity: begun.capacity <= Self.ordinary) }
        if !cancelled.isEmpty { cancelled.removeAll(keepingCapacity: cancelled.capacity <= Self.ordinary) }
    }

    /// Checks a frame and notes its stream if the frame is forbidden.
    ///
    /// - Returns: The connection error, or nil.
    mutating func judge(_ frame: FrameScanner.Frame, _ library: borrowing LibrarySession) -> ConnectionFailure? {
        let number = frame.stream
        switch frame.kind {
        case .headers, .data: break
        case .resetStream:
            cancelled.append(number)
            return nil
        default: return nil
        }
        guard number > 0, number & 1 == 1 else { return nil }
        guard number <= highest else {
            if frame.kind == .headers { begin(number) }
            return nil
        }
        guard cancelled.contains(number) || !isOpen(number, library), !reset.contains(number) else { return nil }
        // Identifiers only rise (§5.1.1). If none was skipped, this one was used.
        let wasUsed = frame.kind == .data || highest == 2 &* count &- 1
        guard wasUsed else { return .violation(.protocolError) }
        late.append(number)
        return nil
    }

    private mutating func begin(_ number: Int32) {
        highest = number
        count &+= 1
        begun.append(number)
    }

    private func isOpen(_ number: Int32, _ library: borrowing LibrarySession) -> Bool {
        guard let first = begun.first, number >= first else { return library.knows(number) }
        var rest = begun[...]
        while let middle = rest.dropFirst(rest.count / 2).first, rest.count > 1 {
            rest = middle <= number ? rest.dropFirst(rest.count / 2) : rest.prefix(rest.count / 2)
        }
        return rest.first == number
    }
}
