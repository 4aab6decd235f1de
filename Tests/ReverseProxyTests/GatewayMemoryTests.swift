import NIOCore
import NIOHPACK
import NIOPosix
import ProxySettings
import Synchronization
import Testing

@testable import ReverseProxy

/// Reading and granting of windows while memory is short, over sockets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayMemoryTests {
    private let memory = ScriptedMemory()

    private func settings(_ service: ListenerService = .plain(.http1)) -> GatewaySettings {
        var settings = GatewaySettings()
        settings.memory = memory.watch()
        settings.service = service
        return settings
    }

    /// Sets the share of memory in use, and waits until the gateway has noticed.
    private func use(percent: Int, _ level: MemoryLevel, _ gateway: GatewayFixture) async throws {
        memory.use(percent: percent)
        try await eventually { gateway.memoryLevel == level }
        try await rounds(gateway)
    }

    /// Lets the event loops of the gateway and its peers handle all bytes that reached their sockets before the call.
    private func rounds(_ gateway: GatewayFixture) async throws {
        for _ in 0..<4 {
            await gateway.gateway.denialsChanged()
            for loop in RawPeer.group.makeIterator() { try await loop.submit {}.get() }
        }
    }

    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"

    // MARK: Upstreams

    @Test func `an upstream answer is not read while memory is out, and fully read afterwards`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await server.sendAll(Array(Self.head.utf8))
            _ = try await client.receive(through: "\r\n\r\n")
            try await use(percent: 97, .out, gateway)
            // A pending read may still take the first bytes that arrive, however many they are.
            try await server.sendAll([1])
            try await rounds(gateway)
            server.send([UInt8](repeating: 2, count: 999_999))
            try await rounds(gateway)
            let count = client.count
            try await rounds(gateway)
            #expect(client.count == count && count < 100_000)
            try await use(percent: 50, .ample, gateway)
            #expect(try await client.receive(count: 1_000_000).count == 1_000_000)
        }
    }

    @Test func `an HTTP/2 upstream is not read while memory is out, and fully read afterwards`() async throws {
        try await withHTTP2Upstream(settings()) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            server.send(
                .headers, flags: 4, stream: 1, HTTP2Peer.block([(":status", "200"), ("content-length", "20000")]))
            _ = try await client.receive(through: "\r\n\r\n")
            try await use(percent: 97, .out, gateway)
            server.send(.ping, stream: 0, [UInt8](repeating: 0, count: 8))
            try await rounds(gateway)
            let count = client.count
            server.send(.data, stream: 1, [UInt8](repeating: 2, count: 10_000))
            server.send(.data, flags: 1, stream: 1, [UInt8](repeating: 2, count: 10_000))
            try await rounds(gateway)
            #expect(client.count == count)
            try await use(percent: 50, .ample, gateway)
            #expect(try await client.receive(count: 20_000).count == 20_000)
        }
    }

    @Test(arguments: [false, true]) func `while memory is short, an answer is still relayed to a client that reads it`(
        _ isHTTP2: Bool
    ) async throws {
        try await withGateway(settings(.plain(isHTTP2 ? .http2 : .http1))) { gateway in
            let client = try await gateway.connect()
            let size = 3_000_000
            let peer = HTTP2Peer(client)
            if !isHTTP2 {
                client.send(Self.get)
            } else {
                // Windows for the whole answer (RFC 9113 §6.9).
                let window = HTTP2Peer.frame(.settings, stream: 0, [0, 4, 0, 0x7F, 0xFF, 0xFF])
                client.send(HTTP2Peer.preface + window + HTTP2Peer.frame(.windowUpdate, stream: 0, [0, 0x7F, 0, 0]))
                peer.request()
            }
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await use(percent: 92, .short, gateway)
            server.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            server.send([UInt8](repeating: 2, count: size))
            if !isHTTP2 {
                _ = try await client.receive(through: "\r\n\r\n")
                #expect(try await client.receive(count: size).count == size)
            } else {
                #expect(try await peer.answer().content.count == size)
            }
            #expect(gateway.memoryLevel == .short)
        }
    }

    @Test func `while memory is short, a client that does not read has no more of its answer read from the upstream`()
        async throws
    {
        try await withGateway(settings()) { gateway in
            let (slow, quick) = (try await gateway.connect(), try await gateway.connect())
            slow.send(Self.get)
            let first = try await gateway.upstream.connection()
            _ = try await first.receive(through: "\r\n\r\n")
            try await slow.setReading(false)
            // More than the sockets can hold.
            let size = 64 << 20
            first.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            let sent = Task { try await first.sendAll([UInt8](repeating: 2, count: size)) }
            quick.send(Self.get)
            let second = try await gateway.upstream.connection(1)
            _ = try await second.receive(through: "\r\n\r\n")
            try await use(percent: 92, .short, gateway)
            second.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            #expect(try await quick.receive(through: "ok").hasSuffix("ok"))
            try await slow.setReading(true)
            #expect(try await slow.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
            _ = try await slow.receive(count: size, within: .seconds(60))
            try await sent.value
        }
    }

    // MARK: Clients

    @Test func `a request body is not read while memory is short, and fully read afterwards`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n1")
            try await use(percent: 92, .short, gateway)
            // A pending read may still take the first bytes that arrive, however many they are.
            for byte in ["2", "3"] {
                try await client.sendAll(Array(byte.utf8))
                try await rounds(gateway)
            }
            let count = server.count
            try await client.sendAll(Array("456789".utf8))
            try await rounds(gateway)
            #expect(server.count == count)
            try await use(percent: 50, .ample, gateway)
            #expect(try await server.receive(through: "9") == "23456789")
        }
    }

    @Test func `no HTTP/2 window is granted while memory is short, and all of it afterwards`() async throws {
        try await withGateway(settings(.plain(.http2))) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(
                [(":method", "POST"), (":scheme", "http"), (":path", "/a"), (":authority", "a")], ends: false)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await use(percent: 92, .short, gateway)
            // Three quarters of the window; half would already trigger another grant.
            let sent = 3 * 16_384
            for _ in 0..<3 { client.send(.data, stream: 1, [UInt8](repeating: 120, count: 16_384)) }
            _ = try await server.receive(count: sent)
            #expect(try await grants(client).isEmpty)
            try await use(percent: 50, .ample, gateway)
            #expect(try await grants(client)[1] == UInt32(sent))
        }
    }

    /// Window bytes granted so far, by stream.
    private func grants(_ client: HTTP2Peer) async throws -> [UInt32: UInt32] {
        let payload = [UInt8](repeating: 7, count: 8)
        client.send(.ping, stream: 0, payload)
        var grants: [UInt32: UInt32] = [:]
        while true {
            let frame = try await client.next()
            if frame.type == HTTP2Peer.FrameType.ping.rawValue, frame.payload == payload { return grants }
            guard frame.type == HTTP2Peer.FrameType.windowUpdate.rawValue else { continue }
            // The window of the connection is enlarged at its beginning, so it does not count.
            if frame.stream > 0 { grants[frame.stream, default: 0] += frame.payload.reduce(0) { $0 << 8 | UInt32($1) } }
        }
    }

    @Test func `while memory is short, an incomplete head is refused at once`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            try await use(percent: 92, .short, gateway)
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-")
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "HTTP/1.1 503 Service Unavailable")
            #expect(values("retry-after", in: head) == ["1"] && values("connection", in: head) == ["close"])
            #expect(gateway.gateway.state.limits.counts[.memory] == 1)
        }
    }

    @Test func `no connection is accepted while memory is out, and all waiting ones are afterwards`() async throws {
        try await withGateway(settings()) { gateway in
            try await use(percent: 97, .out, gateway)
            let hits = gateway.gateway.state.connections.accepted.load(ordering: .relaxed)
            var clients: [RawPeer] = []
            for _ in 0..<3 {
                let client = try await gateway.connect()
                client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                clients.append(client)
            }
            try await rounds(gateway)
            // One accept may already be pending.
            #expect(gateway.gateway.state.connections.accepted.load(ordering: .relaxed) <= hits + 1)
            let echo = gateway.upstream.echo()
            try await use(percent: 50, .ample, gateway)
            for client in clients { #expect(try await client.receive(through: "\r\n").hasPrefix("HTTP/1.1 200")) }
            echo.cancel()
        }
    }

    // MARK: Time

    @Test func `a body that was unread because memory is short is 503, not 408`() async throws {
        var settings = settings()
        settings.timeouts.bodyIdle = .milliseconds(600)
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1")
            _ = try await gateway.upstream.connection().receive(through: "\r\n\r\n1")
            try await use(percent: 92, .short, gateway)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 503 Service Unavailable")
        }
    }

    @Test func `an upstream that was unread because memory is out does not count as failed`() async throws {
        var settings = settings()
        settings.timeouts.firstByte = .milliseconds(600)
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await use(percent: 97, .out, gateway)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 503 Service Unavailable")
            try await expectOutcomes([.abandoned: 1], gateway)
        }
    }
}
