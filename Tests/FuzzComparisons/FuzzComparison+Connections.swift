import FuzzTargets
import HTTP2Sessions
import NIOCore

extension FuzzComparison {
    /// Bytes of an HTTP/2 connection, split as the first byte says: only valid messages are reported, every reported
    /// stream ends, and nothing leaks.
    static func http2Connection(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let storage = HTTP2Storage(budgetPeriod: 30)
        let limits = HTTP2Limits(concurrentStreams: 8, fieldSection: 2048, fields: 20, queue: 100..<1000)
        let size = max(1, Int(first & 0x7F))
        let rest = bytes.dropFirst()
        if first & 0x80 == 0 {
            var end = ConnectionEnd(serverWith: limits, storage)
            end.read(preface + rest, inPiecesOf: size * size)
        } else {
            var end = ConnectionEnd(clientWith: limits, storage)
            end.read(Array(rest), inPiecesOf: size * size)
        }
        FuzzTarget.require(storage.libraryAllocations == 0, "memory is left behind")
    }

    /// Preface, which the fuzzer need not find, and the empty settings that must follow.
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
}

/// A session with a caller that reacts to every event.
private struct ConnectionEnd {
    private let session: HTTP2Session
    private let storage: HTTP2Storage
    private var open: [HTTP2Stream: Bool] = [:]
    private var hasFailed = false

    init(serverWith limits: HTTP2Limits, _ storage: HTTP2Storage) {
        session = HTTP2ServerSession(for: .client, limits: limits, allowsConnectProtocol: true, storage: storage, at: 0)
        self.storage = storage
    }

    init(clientWith limits: HTTP2Limits, _ storage: HTTP2Storage) {
        let client = HTTP2ClientSession(limits: limits, storage: storage, at: 0)
        session = client
        self.storage = storage
        var fields = OutgoingFields()
        for (name, value) in [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a")]
            as [(StaticString, StaticString)]
        { fields.append(name, value) }
        for endsStream in [true, false, true, false] {
            if let stream = client.submitRequest(fields, endsStream: endsStream) { open[stream] = false }
        }
    }

    mutating func read(_ bytes: [UInt8], inPiecesOf size: Int) {
        var rest = bytes[...]
        while !rest.isEmpty {
            session.receive(ByteBuffer(bytes: rest.prefix(size)), at: 0)
            rest = rest.dropFirst(size)
            handleEvents()
            session.serialize(limit: 4096)
            while let output = session.nextOutput() { storage.recycle(output) }
            handleEvents()
        }
    }

    private mutating func handleEvents() {
        while let event = session.nextEvent() {
            switch event {
            case .head(let stream, let fields, _):
                FuzzTarget.require(
                    session is HTTP2ClientSession ? open[stream] == false : open[stream] == nil, "a second head")
                open[stream] = true
                use(fields)
                answer(stream)
            case .interim(let stream, let fields):
                FuzzTarget.require(open[stream] == false, "an interim response out of place")
                use(fields)
            case .trailers(let stream, let fields):
                FuzzTarget.require(open[stream] == true, "trailers without a head")
                use(fields)
            case .data(let stream, let content, _):
                FuzzTarget.require(open[stream] == true, "content without a head")
                session.consume(stream, content.readableBytes)
            case .streamClosed(let stream, _):
                FuzzTarget.require(open.removeValue(forKey: stream) != nil, "a stream ends that was not open")
            case .connectionFailed:
                FuzzTarget.require(!hasFailed, "the connection fails twice")
                hasFailed = true
            case .requestRefused, .queueDrained, .headNotSent, .settings, .pingAcknowledged, .goAway: break
            }
        }
    }

    /// Checks that a section has lower-case names, and nothing that could end a line.
    private func use(_ fields: FieldBlock) {
        for entry in fields.entries {
            FuzzTarget.require(!entry.name.isEmpty, "a field without a name")
            FuzzTarget.require(
                fields.bytes[entry.name].allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 &- 0x41 >= 26 }, "not a name")
            FuzzTarget.require(
                fields.bytes[entry.value].allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D }, "a field holds a line end"
            )
        }
        storage.recycle(fields)
    }

    /// Answers a stream in a way that depends on its number.
    private func answer(_ stream: HTTP2Stream) {
        guard let server = session as? HTTP2ServerSession else { return session.end(stream) }
        var fields = OutgoingFields()
        fields.append(status: 200)
        switch stream.number / 2 % 4 {
        case 0: server.submitHead(fields, to: stream, endsStream: true)
        case 1: server.reset(stream, .cancel)
        case 2:
            server.submitHead(fields, to: stream, endsStream: false)
            server.append(ByteBuffer(repeating: 7, count: 5000), to: stream)
            server.end(stream)
            server.dismissUpload(of: stream)
        default:
            server.submitHead(fields, to: stream, endsStream: false)
            server.append(ByteBuffer(repeating: 7, count: 100), to: stream)
            var trailers = OutgoingFields()
            trailers.append("grpc-status", "0")
            server.end(stream, trailers: trailers)
        }
    }
}
