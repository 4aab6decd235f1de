import NIOCore

/// Reads the heads of frames (RFC 9113 §4.1) out of bytes that pass, however they are cut.
struct FrameScanner {
    /// Payload to skip before the next head.
    private var skipped: Int
    /// The head that has begun, and what is wanted of its payload.
    private var head: [UInt8] = []

    private static let headLength = 9

    /// - Parameter skipped: bytes before the first frame: a client's preface.
    init(skipping skipped: Int = 0) {
        self.skipped = skipped
        head.reserveCapacity(Self.headLength + 4)
    }

    /// The next frame whose head is complete; nil if all bytes are consumed.
    mutating func next(in bytes: inout ByteBuffer) -> Frame? {
        let count = min(skipped, bytes.readableBytes)
        bytes.moveReaderIndex(forwardBy: count)
        skipped -= count
        guard skipped == 0 else { return nil }
        while head.count < Self.headLength || head.count < Self.headLength + wantedPayload {
            guard let byte = bytes.readInteger(as: UInt8.self) else { return nil }
            head.append(byte)
        }
        let frame = Frame(type: type, content: content, endsStream: type <= 1 && flags & 0x1 != 0, errorCode: errorCode)
        skipped = length - wantedPayload
        head.removeAll(keepingCapacity: true)
        return frame
    }

    // MARK: The head, once it is complete

    private var length: Int { head.prefix(3).reduce(0) { $0 << 8 | Int($1) } }
    private var type: UInt8 { head.dropFirst(3).first ?? 0 }
    private var flags: UInt8 { head.dropFirst(4).first ?? 0 }

    /// How many bytes of the payload say something about the frame: the length of DATA's padding, the code of a reset.
    private var wantedPayload: Int {
        switch Frame.Kind(rawValue: type) {
        case .data where flags & 0x8 != 0: min(1, length)
        case .resetStream: min(4, length)
        default: 0
        }
    }

    private var payload: ArraySlice<UInt8> { head.dropFirst(Self.headLength) }

    /// Of DATA, without its padding; the whole payload of others.
    private var content: Int {
        guard type == Frame.Kind.data.rawValue, let padding = payload.first else { return length }
        return max(0, length - 1 - Int(padding))
    }

    private var errorCode: UInt32 {
        guard type == Frame.Kind.resetStream.rawValue else { return 0 }
        return payload.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// What a frame's cost depends on.
    struct Frame: Hashable {
        /// Types that have a cost of their own (RFC 9113 §6).
        enum Kind: UInt8 {
            case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
        }

        let type: UInt8
        /// In bytes.
        var content = 0
        var endsStream = false
        /// Of RST_STREAM.
        var errorCode: UInt32 = 0

        var kind: Kind? { Kind(rawValue: type) }
    }
}
