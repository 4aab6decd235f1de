/// Reads frame headers (RFC 9113 §4.1) from the bytes that pass, however they are split.
package struct FrameScanner {
    /// Payload to skip before the next head.
    private var skipped: Int
    /// The head that has begun, and what is wanted of its payload.
    private var head = [13 of UInt8](repeating: 0)
    private var headCount = 0

    private static let headLength = 9

    /// - Parameter skipped: bytes before the first frame: a client's preface.
    package init(skipping skipped: Int = 0) {
        self.skipped = skipped
    }

    /// The next frame whose head is complete; nil if all bytes are consumed.
    ///
    /// - Parameter index: where to continue reading; advanced past what was read.
    package mutating func next(in bytes: Span<UInt8>, at index: inout Int) -> Frame? {
        let count = min(skipped, bytes.count &- index)
        index &+= count
        skipped &-= count
        guard skipped == 0 else { return nil }
        while headCount < Self.headLength || headCount < Self.headLength &+ wantedPayload {
            guard index < bytes.count, head.indices.contains(headCount) else { return nil }
            head[headCount] = bytes[index]
            headCount &+= 1
            index &+= 1
        }
        skipped = length &- wantedPayload
        headCount = 0
        return Frame(
            type: type, stream: stream, content: content, endsStream: type <= 1 && flags & 0x1 != 0,
            errorCode: errorCode)
    }

    // MARK: The head, once it is complete

    private var length: Int { Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2]) }  // in bounds: of thirteen
    private var type: UInt8 { head[3] }  // in bounds: of thirteen
    private var flags: UInt8 { head[4] }  // in bounds: of thirteen

    /// The reserved bit is ignored.
    private var stream: Int32 {
        Int32(truncatingIfNeeded: (5...8).reduce(UInt32(0)) { $0 << 8 | UInt32(head[$1]) } & 0x7FFF_FFFF)
    }

    /// How many bytes of the payload say something about the frame: the length of DATA's padding, the code of a reset.
    private var wantedPayload: Int {
        switch type {
        case Frame.Kind.data.rawValue where flags & 0x8 != 0: min(1, length)
        case Frame.Kind.resetStream.rawValue: min(4, length)
        default: 0
        }
    }

    /// Of DATA, without its padding; the whole payload of others.
    private var content: Int {
        guard type == Frame.Kind.data.rawValue, flags & 0x8 != 0, length > 0 else { return length }
        return max(0, length &- 1 &- Int(head[9]))  // in bounds: of thirteen
    }

    private var errorCode: UInt32 {
        guard type == Frame.Kind.resetStream.rawValue else { return 0 }
        return (0..<wantedPayload).reduce(0) { $0 << 8 | UInt32(head[9 &+ $1]) }
    }

    /// What a frame's cost depends on.
    package struct Frame: Hashable {
        /// Types that have a cost of their own (RFC 9113 §6).
        enum Kind: UInt8 {
            case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
        }

        let type: UInt8
        var stream: Int32 = 0
        /// In bytes.
        var content = 0
        var endsStream = false
        /// Of RST_STREAM.
        var errorCode: UInt32 = 0

        var kind: Kind? { Kind(rawValue: type) }
    }
}
