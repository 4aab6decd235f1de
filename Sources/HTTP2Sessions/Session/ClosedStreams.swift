/// What a client may still send on streams that are over (RFC 9113 §5.1).
///
/// The library skips all of it in silence. That is right for what was on its way when we reset a stream; anything else
/// is an error of the client. Frames are judged before the library reads them.
struct ClosedStreams {
    /// The highest number that a client has used.
    private var highest: Int32 = 0
    private var count: Int32 = 0
    /// Streams that we have reset, the oldest of which is forgotten first.
    private var reset: ContiguousArray<Int32> = []
    private var oldest = 0

    /// Streams that begin in the bytes that are being read, rising.
    private var begun: ContiguousArray<Int32> = []
    /// Streams that the client ends by a reset in the bytes that are being read.
    private var cancelled: ContiguousArray<Int32> = []

    /// Streams with frames that cannot come any more.
    private var late: ContiguousArray<Int32> = []

    /// With a client that has a hundred streams at once, each of them ten times over.
    private static let remembered = 1024
    /// Of what one read begins or cancels; storage for more is not kept.
    private static let ordinary = 64

    mutating func reset(_ number: Int32) {
        if reset.count < Self.remembered {
            reset.append(number)
        } else {
            reset[oldest % Self.remembered] = number  // in bounds: that many are there
            oldest &+= 1
        }
    }

    /// The library has read everything that was judged: resets what has to be.
    mutating func readEnded(_ library: borrowing LibrarySession) {
        for number in late { library.reset(number, .streamClosed) }
        if !late.isEmpty { late = [] }
        if !begun.isEmpty { begun.removeAll(keepingCapacity: begun.capacity <= Self.ordinary) }
        if !cancelled.isEmpty { cancelled.removeAll(keepingCapacity: cancelled.capacity <= Self.ordinary) }
    }

    /// Notes the stream of a frame that cannot come any more.
    ///
    /// - Returns: why the connection ends, if it does.
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
        // Numbers only rise (§5.1.1). If none was left out, this one was used.
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
