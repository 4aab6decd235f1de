/// Boundaries of the frames in one direction of a WebSocket (RFC 6455 §5.2). A close frame can then be inserted between
/// two frames.
struct WebSocketFrames {
    /// Received part of the current frame's header.
    private var header: [UInt8] = []
    /// Number of bytes still to come of the current frame's payload.
    private var remaining: UInt64 = 0

    /// True if the next byte begins a frame.
    var isBetweenFrames: Bool { header.isEmpty && remaining == 0 }

    /// Follows the frame boundaries through the bytes. The payload does not matter.
    mutating func take(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count {
            if remaining > 0 {
                let count = min(UInt64(bytes.count &- index), remaining)
                remaining &-= count
                index &+= Int(count)
            } else {
                header.append(bytes[index])
                index &+= 1
                guard let length = Self.payloadLength(header) else { continue }
                header.removeAll(keepingCapacity: true)
                remaining = length
            }
        }
    }

    /// Payload length that a complete header announces. Nil while the header is incomplete.
    private static func payloadLength(_ header: [UInt8]) -> UInt64? {
        guard header.count >= 2 else { return nil }
        let short = header[1] & 0x7F
        let extended = short == 126 ? 2 : short == 127 ? 8 : 0
        let mask = header[1] & 0x80 == 0 ? 0 : 4
        guard header.count == 2 + extended + mask else { return nil }
        guard extended > 0 else { return UInt64(short) }
        return header[2..<2 + extended].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    /// Builds a close frame (RFC 6455 §5.5.1, §7.4.1).
    ///
    /// - Parameters:
    ///   - reason: text; at most 123 bytes are sent.
    ///   - mask: masking key of a frame to a server, which requires one. Its value does not matter here.
    static func close(_ status: UInt16, _ reason: String, mask: [UInt8]? = nil) -> [UInt8] {
        let payload = [UInt8(status >> 8), UInt8(status & 0xFF)] + Array(reason.utf8.prefix(123))
        let head: [UInt8] = [0x88, UInt8(payload.count) | (mask == nil ? 0 : 0x80)]
        guard let mask, mask.count == 4 else { return head + payload }
        return head + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }
}
