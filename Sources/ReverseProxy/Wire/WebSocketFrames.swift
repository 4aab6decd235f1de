/// Where the frames of one direction of a WebSocket begin and end (RFC 6455 §5.2), so that a last one can be put
/// between two.
struct WebSocketFrames {
    /// The received part of the present frame's header.
    private var header: [UInt8] = []
    /// Of the present frame's payload.
    private var remaining: UInt64 = 0

    /// Whether the next byte begins a frame.
    var isBetweenFrames: Bool { header.isEmpty && remaining == 0 }

    /// Follows the bytes; their content does not matter.
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

    /// The length that a whole header announces; nil as long as it is not whole.
    private static func payloadLength(_ header: [UInt8]) -> UInt64? {
        guard header.count >= 2 else { return nil }
        let short = header[1] & 0x7F
        let extended = short == 126 ? 2 : short == 127 ? 8 : 0
        let mask = header[1] & 0x80 == 0 ? 0 : 4
        guard header.count == 2 + extended + mask else { return nil }
        guard extended > 0 else { return UInt64(short) }
        return header[2..<2 + extended].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    /// A close frame (RFC 6455 §5.5.1, §7.4.1).
    ///
    /// - Parameters:
    ///   - reason: up to 123 bytes.
    ///   - mask: for a frame to a server, which must have one; its value does not matter here.
    static func close(_ status: UInt16, _ reason: String, mask: [UInt8]? = nil) -> [UInt8] {
        let payload = [UInt8(status >> 8), UInt8(status & 0xFF)] + Array(reason.utf8.prefix(123))
        let head: [UInt8] = [0x88, UInt8(payload.count) | (mask == nil ? 0 : 0x80)]
        guard let mask, mask.count == 4 else { return head + payload }
        return head + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }
}
