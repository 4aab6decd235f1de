import Foundation

/// The outcomes of the requests of a client that keeps its connections alive.
struct KeptAliveReport: Sendable {
    /// Requests that were answered with 200.
    var good = 0
    /// Causes of the lost requests.
    var bad: [String] = []
    /// Number of connections opened.
    var connections = 0

    static func + (one: Self, other: Self) -> Self {
        Self(good: one.good + other.good, bad: one.bad + other.bad, connections: one.connections + other.connections)
    }
}

/// A client that sends the next request on the same connection as soon as it has its answer. It opens another
/// connection only when told to.
///
/// It retries nothing: a connection that closes without an answer is a lost request.
struct KeptAliveClient {
    enum Generation: Sendable, CaseIterable { case http1, http2 }

    /// Condition on which the client ends.
    enum End: Sendable {
        case raised(StopSign)
        /// The server has announced the end of the connection, with `Connection: close` or GOAWAY.
        case told
    }

    let generation: Generation
    let port: Int
    let path: String
    let token: String
    /// Pause between an answer and the next request.
    let pause: Duration
    /// Called at each answer.
    let whenAnswered: @Sendable () -> Void

    private var report = KeptAliveReport()

    init(
        _ generation: Generation, port: Int, path: String, token: String, pause: Duration,
        whenAnswered: @escaping @Sendable () -> Void
    ) {
        self.generation = generation
        self.port = port
        self.path = path
        self.token = token
        self.pause = pause
        self.whenAnswered = whenAnswered
    }

    /// Runs the client; blocks, so it needs a thread of its own.
    mutating func run(until end: End) -> KeptAliveReport {
        while !isOver(end) {
            report.connections += 1
            guard let connection = try? RawConnection(port: port) else {
                report.bad.append("not connected")
                continue
            }
            switch generation {
            case .http1: ask(on: connection, until: end)
            case .http2: askStreams(on: connection, until: end)
            }
            if case .told = end { break }
        }
        return report
    }

    private func isOver(_ end: End) -> Bool {
        if case .raised(let sign) = end { sign.isRaised } else { false }
    }

    private mutating func noteAnswer() {
        report.good += 1
        whenAnswered()
    }

    private func rest() {
        if pause > .zero {
            Thread.sleep(
                forTimeInterval: Double(pause.components.attoseconds) / 1e18 + Double(pause.components.seconds))
        }
    }

    // MARK: HTTP/1.1

    private mutating func ask(on connection: RawConnection, until end: End) {
        let request = Array("GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
        while !isOver(end) {
            connection.forgetReceived()
            connection.send(request)
            connection.receiveBytes(atMost: .seconds(20)) { Self.isWhole($0) }
            let text = connection.text
            guard text.hasPrefix("HTTP/1.1 200 "), Self.isWhole(connection.received) else {
                return report.bad.append("HTTP/1.1: \(text.prefix(200))")
            }
            noteAnswer()
            if text.lowercased().contains("\r\nconnection: close\r\n") { return }
            rest()
        }
    }

    /// True if an answer with `Content-Length` is complete.
    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let fields = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).lowercased()
        guard let start = fields.range(of: "\r\ncontent-length: ")?.upperBound,
            let length = Int(fields[start...].prefix { $0.isNumber })
        else { return false }
        return bytes.count - head.upperBound >= length
    }

    // MARK: HTTP/2

    private mutating func askStreams(on connection: RawConnection, until end: End) {
        var frames = FrameReader(connection)
        connection.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + FrameReader.frame(4, stream: 0))
        let fields = [
            (":method", "GET"), (":scheme", "http"), (":path", path), (":authority", "a"),
            ("authorization", "Bearer \(token)"),
        ]
        let block = FrameReader.block(fields)
        var stream: UInt32 = 1
        while !isOver(end), !frames.isTold {
            connection.send(FrameReader.frame(1, flags: 5, stream: stream, block))
            switch frames.answer(stream: stream) {
            case .success: noteAnswer()
            case .failure(let failure):
                return report.bad.append("HTTP/2: \(failure.what) of stream \(stream), \(frames.isTold)")
            }
            stream += 2
            rest()
            frames.takeWhatIsThere()
        }
    }
}
