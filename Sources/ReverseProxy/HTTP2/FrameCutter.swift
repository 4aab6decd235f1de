import NIOCore

/// Cuts the frames in a stream of bytes to a size that every peer takes (RFC 9113 §4.2): a field section continues in
/// CONTINUATION frames (§6.10), content in DATA frames.
struct FrameCutter {
    /// The most that no peer refuses.
    static let largestFrame = 16_384
    static let headerLength = 9

    /// What is written of a frame beside its payload.
    private struct Header {
        var type: UInt8
        var flags: UInt8
        var stream: UInt32
    }

    private static let (data, headers, pushPromise, continuation): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 5, 9)
    private static let (endStream, endHeaders): (UInt8, UInt8) = (0x1, 0x4)

    /// How much of the frame that is being written, and of its present part, has not been given out.
    private var frameRest: Int
    private var partRest: Int
    /// The next parts of that frame; their last has the flag that the first was relieved of.
    private var following = Header(type: 0, flags: 0, stream: 0)
    private var lastFlag: UInt8 = 0
    /// The beginning of a header whose end has not come.
    private var pending = ByteBuffer()

    /// - Parameter count: how many bytes come before the first frame.
    init(skipping count: Int = 0) {
        frameRest = count
        partRest = count
    }

    /// The same bytes in frames that are small enough; those that were are given out as they came, in one piece.
    mutating func cut(_ bytes: ByteBuffer) -> [ByteBuffer] {
        var rest = pending.takeAll(and: bytes)
        var parts: [ByteBuffer] = []
        // How much of the rest is to be given out as it is.
        var count = 0
        while count < rest.readableBytes {
            if partRest > 0 {
                let taken = min(partRest, rest.readableBytes - count)
                count += taken
                partRest -= taken
                frameRest -= taken
            } else if frameRest > 0 {
                if let part = rest.readSlice(length: count) { parts.append(part) }
                count = 0
                partRest = min(frameRest, Self.largestFrame)
                var header = following
                if partRest == frameRest { header.flags |= lastFlag }
                parts.append(Self.bytes(of: header, length: partRest))
            } else if !beginFrame(&rest, &parts, &count) {
                pending =
                    rest.getSlice(at: rest.readerIndex + count, length: rest.readableBytes - count) ?? ByteBuffer()
                break
            }
        }
        if count > 0, let part = rest.readSlice(length: count) { parts.append(part) }
        return parts
    }

    /// Reads a frame's header; false if it is not whole.
    private mutating func beginFrame(_ rest: inout ByteBuffer, _ parts: inout [ByteBuffer], _ count: inout Int) -> Bool {
        let start = rest.readerIndex + count
        guard let high = rest.getInteger(at: start, as: UInt16.self),
            let low = rest.getInteger(at: start + 2, as: UInt8.self),
            let type = rest.getInteger(at: start + 3, as: UInt8.self),
            let flags = rest.getInteger(at: start + 4, as: UInt8.self),
            let stream = rest.getInteger(at: start + 5, as: UInt32.self)
        else { return false }
        frameRest = Int(high) << 8 | Int(low)
        guard frameRest > Self.largestFrame, let lastFlag = Self.lastFlag(of: type) else {
            count += Self.headerLength
            partRest = frameRest
            return true
        }
        if count > 0, let part = rest.readSlice(length: count) { parts.append(part) }
        rest.moveReaderIndex(forwardBy: Self.headerLength)
        count = 0
        partRest = Self.largestFrame
        parts.append(Self.bytes(of: Header(type: type, flags: flags & ~lastFlag, stream: stream), length: partRest))
        following = Header(type: type == Self.data ? Self.data : Self.continuation, flags: 0, stream: stream)
        self.lastFlag = flags & lastFlag
        return true
    }

    /// The flag that belongs to the last part of a frame; nil for a frame that cannot be cut.
    private static func lastFlag(of type: UInt8) -> UInt8? {
        switch type {
        case data: endStream
        case headers, pushPromise, continuation: endHeaders
        default: nil
        }
    }

    private static func bytes(of header: Header, length: Int) -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: headerLength)
        bytes.writeInteger(UInt16(truncatingIfNeeded: length >> 8))
        bytes.writeInteger(UInt8(truncatingIfNeeded: length))
        bytes.writeInteger(header.type)
        bytes.writeInteger(header.flags)
        bytes.writeInteger(header.stream)
        return bytes
    }
}
