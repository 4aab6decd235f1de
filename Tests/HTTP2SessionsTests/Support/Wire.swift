/// Frames as bytes (RFC 9113 §4.1), valid and invalid ones.
enum Wire {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Frame types by their numbers (RFC 9113 §6).
    enum FrameType: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    struct Frame: Hashable {
        var type: UInt8
        var flags: UInt8 = 0
        var stream: UInt32 = 0
        var payload: [UInt8] = []

        /// Code of RST_STREAM or GOAWAY, or size of WINDOW_UPDATE.
        var code: UInt32 { payload.dropFirst(type == 7 ? 4 : 0).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
        var endsStream: Bool { flags & 1 != 0 }
    }

    static func frame(_ type: FrameType, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        frame(type: type.rawValue, flags: flags, stream: stream, payload)
    }

    static func frame(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags] + word(stream)
            + payload
    }

    static func word(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
    }

    /// The complete frames in some bytes.
    static func frames(_ bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var rest = bytes[...]
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            frames.append(
                Frame(type: head[3], flags: head[4], stream: stream, payload: Array(rest.dropFirst(9).prefix(length))))
            rest = rest.dropFirst(9 + length)
        }
        return frames
    }

    // MARK: Field sections (RFC 7541 §6.2.2)

    typealias Fields = [(String, String)]

    static let get: Fields = [(":method", "GET"), (":scheme", "http"), (":path", "/a"), (":authority", "api.example")]
    static let post: Fields = [
        (":method", "POST"), (":scheme", "http"), (":path", "/a"), (":authority", "api.example"),
    ]

    /// Literals without indexing, uncompressed.
    static func block(_ fields: Fields, representation: UInt8 = 0) -> [UInt8] {
        fields.flatMap { name, value in [representation] + text(Array(name.utf8)) + text(Array(value.utf8)) }
    }

    static func text(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var rest = bytes.count - 127
        var length: [UInt8] = [127]
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    /// A complete request, or only its head.
    static func request(_ fields: Fields = get, stream: UInt32 = 1, ends: Bool = true) -> [UInt8] {
        frame(.headers, flags: ends ? 5 : 4, stream: stream, block(fields))
    }

    /// A section split into HEADERS and CONTINUATION frames.
    static func cut(_ block: [UInt8], stream: UInt32, size: Int = 16_384, ends: Bool = true) -> [UInt8] {
        let parts = stride(from: 0, to: max(1, block.count), by: size).map {
            Array(block[$0..<min($0 + size, block.count)])
        }
        return parts.indices.flatMap { index in
            frame(
                index == 0 ? .headers : .continuation,
                flags: (index == 0 && ends ? 1 : 0) | (index == parts.count - 1 ? 4 : 0), stream: stream, parts[index])
        }
    }

    static func ping(_ number: UInt8 = 0) -> [UInt8] { frame(.ping, [UInt8](repeating: number, count: 8)) }
    static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> [UInt8] {
        frame(.resetStream, stream: stream, word(code))
    }
}
