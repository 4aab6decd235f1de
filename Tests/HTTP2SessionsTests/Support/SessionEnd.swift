import NIOCore

@testable import HTTP2Sessions

/// A session with a caller around it, and its events as text.
class SessionEnd<Session: HTTP2Session> {
    let session: Session
    let storage: HTTP2Storage
    /// Handles of the reported streams, by their numbers.
    private(set) var streams: [Int32: HTTP2Stream] = [:]
    private(set) var tick: UInt64 = 0
    /// True if content is consumed as soon as it is reported.
    var consumes = true
    private var isClosed: Set<Int32> = []

    init(_ session: Session, _ storage: HTTP2Storage) {
        self.session = session
        self.storage = storage
    }

    func stream(_ number: Int32 = 1) -> HTTP2Stream { streams[number] ?? HTTP2Stream(number: -1, slot: -1) }

    func wait(_ ticks: UInt64) { tick += ticks }

    func remember(_ stream: HTTP2Stream) { streams[stream.number] = stream }

    /// Gives the session bytes.
    func read(_ bytes: [UInt8]) { session.receive(ByteBuffer(bytes: bytes), at: tick) }

    func read(_ bytes: ByteBuffer) { session.receive(bytes, at: tick) }

    /// Takes all events.
    func events() -> [String] {
        var texts: [String] = []
        while let event = session.nextEvent() { texts.append(text(event)) }
        return texts
    }

    /// Takes all output as bytes.
    func output(limit: Int = .max) -> [UInt8] {
        session.serialize(limit: limit)
        var bytes: [UInt8] = []
        while let piece = session.nextOutput() {
            bytes += piece.readableBytesView
            storage.recycle(piece)
        }
        return bytes
    }

    func frames(limit: Int = .max) -> [Wire.Frame] { Wire.frames(output(limit: limit)) }

    /// Frames of a type in the output.
    func frames(_ type: Wire.FrameType) -> [Wire.Frame] { frames().filter { $0.type == type.rawValue } }

    private func text(_ event: HTTP2Event) -> String {
        switch event {
        case .head(let stream, let block, let ends):
            remember(stream)
            return "head \(stream.number) \(text(block))\(ends ? " end" : "")"
        case .interim(let stream, let block): return "interim \(stream.number) \(text(block))"
        case .trailers(let stream, let block): return "trailers \(stream.number) \(text(block))"
        case .data(let stream, let content, let ends):
            if consumes { session.consume(stream, content.readableBytes) }
            return
                "data \(stream.number) \(String(decoding: content.readableBytesView, as: UTF8.self))\(ends ? " end" : "")"
        case .streamClosed(let stream, let end): return "closed \(stream.number) \(Self.text(end))"
        case .requestRefused(let code): return "refused \(code.rawValue)"
        case .queueDrained(let stream): return "drained \(stream.number)"
        case .headNotSent(let stream): return "not sent \(stream.number)"
        case .settings: return "settings"
        case .pingAcknowledged(let payload): return "ping \(payload)"
        case .goAway(let last, let code): return "goaway \(last) \(code.rawValue)"
        case .connectionFailed(let failure): return "failed \(failure.code.rawValue)"
        }
    }

    private static func text(_ end: StreamEnd) -> String {
        switch end {
        case .complete: "complete"
        case .reset(let code): "reset \(code.rawValue)"
        case .resetByPeer(let code): "by peer \(code.rawValue)"
        case .malformed(let code): "malformed \(code.rawValue)"
        case .notProcessed: "not processed"
        case .notSent: "not sent"
        }
    }

    /// Long values by their length; `!` marks one that must not be indexed.
    private func text(_ block: FieldBlock) -> String {
        let fields = block.entries.map { entry in
            let name = String(decoding: block.bytes[entry.name], as: UTF8.self)
            let value =
                entry.value.count > 64
                ? "(\(entry.value.count))" : String(decoding: block.bytes[entry.value], as: UTF8.self)
            return "\(name)=\(value)\(entry.isNeverIndexed ? "!" : "")"
        }
        let text = fields.joined(separator: " ") + (block.isTooLarge ? " too large" : "")
        storage.recycle(block)
        return text
    }
}

/// A gateway's end towards a client.
final class ServerEnd: SessionEnd<HTTP2ServerSession> {
    /// - Parameter begins: true if preface and settings have been exchanged.
    init(
        for peer: HTTP2Peer = .client, limits: HTTP2Limits = HTTP2Limits(), webSockets: Bool = false,
        begins: Bool = true,
        storage: HTTP2Storage = HTTP2Storage(budgetPeriod: 30)
    ) {
        super.init(
            HTTP2ServerSession(for: peer, limits: limits, allowsConnectProtocol: webSockets, storage: storage, at: 0),
            storage)
        guard begins else { return }
        read(Wire.preface + Wire.frame(.settings) + Wire.frame(.settings, flags: 1))
        _ = events()
        _ = output()
    }

    /// Answers a request with a head, and content if there is any.
    func answer(_ number: Int32 = 1, status: Int = 200, _ content: String? = nil) {
        var fields = OutgoingFields()
        fields.append(status: status)
        session.submitHead(fields, to: stream(number), endsStream: content == nil)
        guard let content else { return }
        session.append(ByteBuffer(string: content), to: stream(number))
        session.end(stream(number))
    }
}

/// A gateway's end towards an upstream.
final class ClientEnd: SessionEnd<HTTP2ClientSession> {
    init(limits: HTTP2Limits = HTTP2Limits(), storage: HTTP2Storage = HTTP2Storage(budgetPeriod: 30)) {
        super.init(HTTP2ClientSession(limits: limits, storage: storage, at: 0), storage)
    }

    @discardableResult
    func request(_ fields: OutgoingFields = .init(Wire.get), ends: Bool = true) -> Int32? {
        guard let stream = session.submitRequest(fields, endsStream: ends) else { return nil }
        remember(stream)
        return stream.number
    }
}

extension OutgoingFields {
    init(_ fields: Wire.Fields, secret: Set<String> = [], indexed: Set<String> = []) {
        self.init()
        for (name, value) in fields {
            let indexing: FieldIndexing =
                secret.contains(name) ? .never : indexed.contains(name) || name == ":status" ? .indexed : .without
            append(Array(name.utf8).span, Array(value.utf8).span, indexing: indexing)
        }
    }
}
