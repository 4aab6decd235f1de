import NIOCore
import NIOHPACK
import Testing

/// An HTTP/2 client that writes every frame itself, so that it can also write invalid ones.
final class HTTP2Peer: Sendable {
    let peer: RawPeer

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Frame types by their numbers (RFC 9113 §6).
    enum FrameType: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    struct Frame: Sendable {
        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        let payload: [UInt8]
    }

    init(_ peer: RawPeer) {
        self.peer = peer
    }

    /// Connects and exchanges settings.
    static func connect(_ gateway: GatewayFixture, _ tls: ClientTLS? = nil, settings: [UInt8] = []) async throws
        -> HTTP2Peer
    {
        let client = HTTP2Peer(try await gateway.connect(tls))
        client.peer.send(preface + frame(.settings, stream: 0, settings))
        return client
    }

    // MARK: Sending

    static func frame(_ type: FrameType, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type.rawValue, flags]
            + (0..<4).map { UInt8(truncatingIfNeeded: stream >> UInt32(24 - 8 * $0)) } + payload
    }

    func send(_ type: FrameType, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8] = []) {
        peer.send(Self.frame(type, flags: flags, stream: stream, payload))
    }

    /// Literal fields without indexing and without Huffman coding (RFC 7541 §6.2.2).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value in [0] + text(name) + text(value) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var rest = bytes.count - 127
        var length: [UInt8] = [127]
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    static let usual = [(":method", "GET"), (":scheme", "http"), (":path", "/a"), (":authority", "api.example")]

    /// Sends a request's head.
    ///
    /// - Parameter ends: whether the head ends the stream.
    func request(_ fields: [(String, String)] = usual, stream: UInt32 = 1, ends: Bool = true) {
        send(.headers, flags: ends ? 5 : 4, stream: stream, Self.block(fields))
    }

    /// Waits until the gateway has handled all bytes sent before the call. Frames received meanwhile are dropped.
    func settle() async throws {
        // Sockets that are ready at the same time are handled in any order, hence two rounds.
        for round in 1...2 {
            let payload = [UInt8](repeating: UInt8(round), count: 8)
            send(.ping, stream: 0, payload)
            while true {
                let frame = try await next(.ping)
                if frame.flags & 1 == 1, frame.payload == payload { break }
            }
        }
    }

    // MARK: Receiving

    /// Takes the next frame.
    func next(within limit: Duration = .seconds(10)) async throws -> Frame {
        let head = try await peer.receive(count: 9, within: limit)
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return Frame(
            type: head[3], flags: head[4], stream: stream, payload: try await peer.receive(count: length, within: limit)
        )
    }

    /// Takes frames up to the first of a type. The other frames are dropped.
    func next(_ type: FrameType, stream: UInt32? = nil) async throws -> Frame {
        while true {
            let frame = try await next()
            if frame.type == type.rawValue, stream.map({ $0 == frame.stream }) ?? true { return frame }
        }
    }

    /// An answer: its last head, its content, and its trailers.
    struct Answer {
        var heads: [HPACKHeaders] = []
        var content: [UInt8] = []
        var trailers: HPACKHeaders?
        /// Error code of the RST_STREAM that ended the answer. Nil if none did.
        var reset: UInt32?

        var status: String? { heads.last?[":status"].first }
        var text: String { String(decoding: content, as: UTF8.self) }
    }

    /// Takes frames up to the end of the stream.
    func answer(stream: UInt32 = 1, _ decoder: inout HPACKDecoder) async throws -> Answer {
        var answer = Answer()
        while true {
            let frame = try await next()
            guard frame.stream == stream else { continue }
            switch FrameType(rawValue: frame.type) {
            case .headers:
                var block = ByteBuffer(bytes: try await fieldBlock(frame))
                let fields = try decoder.decodeHeaders(from: &block)
                if answer.heads.isEmpty || !fields[":status"].isEmpty {
                    answer.heads.append(fields)
                } else {
                    answer.trailers = fields
                }
            case .data: answer.content += frame.payload
            case .resetStream:
                answer.reset = frame.payload.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                return answer
            default: break
            }
            if frame.type <= 1, frame.flags & 1 != 0 { return answer }
        }
    }

    /// Collects the complete field section that begins with this frame (RFC 9113 §6.10).
    private func fieldBlock(_ frame: Frame) async throws -> [UInt8] {
        var (block, isWhole) = (frame.payload, frame.flags & 4 != 0)
        while !isWhole {
            let next = try await next()
            #expect(next.type == FrameType.continuation.rawValue && next.stream == frame.stream)
            block += next.payload
            isWhole = next.flags & 4 != 0
        }
        return block
    }

    /// Takes frames up to the end of the stream, on a connection without earlier answers.
    func answer(stream: UInt32 = 1) async throws -> Answer {
        var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        return try await answer(stream: stream, &decoder)
    }

    /// The error code with which the gateway closes the connection.
    func goAway() async throws -> UInt32 {
        let payload = try await next(.goAway).payload
        return payload.dropFirst(4).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
}
