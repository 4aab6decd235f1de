import NIOCore
import NIOHPACK
import ProxySettings
import Testing

@testable import ReverseProxy

/// Limits of an upstream's head over sockets: each limit and one past it, for each pair of protocols.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct UpstreamHeadLimitTests {
    struct Size: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// All fields except the one that the upstream adds.
        let fields: [(String, String)]
        let passes: Bool

        init(_ description: String, _ fields: [(String, String)], passes: Bool) {
            testDescription = description
            self.fields = fields
            self.passes = passes
        }
    }

    /// Text that compresses badly, so that it is large in HTTP/2 too.
    private static func text(_ count: Int) -> String {
        String(decoding: (0..<count).map { UInt8(ascii: "!") &+ UInt8($0 * 31 % 90) }, as: UTF8.self).replacing(
            "\"", with: "x")
    }

    /// Fields that, with the lines that the upstream adds, make an HTTP/1.1 head of this size.
    private static func head(of count: Int) -> [(String, String)] {
        let fixed = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n".utf8.count
        let lines = (count - fixed) / 30_000
        let rest = count - fixed - lines * 30_000
        let parts = (0..<lines).map { _ in ("x-part", text(30_000 - "x-part: \r\n".utf8.count)) }
        return parts + [("x-rest", text(rest - "x-rest: \r\n".utf8.count))]
    }

    static let sizes = [
        Size("a field of 32 KiB", [("content-security-policy", text(32 * 1024))], passes: true),
        Size("a field of 32 KiB and a byte", [("content-security-policy", text(32 * 1024 + 1))], passes: false),
        Size("200 fields", (1..<200).map { ("set-cookie", "c\($0)=1") }, passes: true),
        Size("201 fields", (1...200).map { ("set-cookie", "c\($0)=1") }, passes: false),
        Size("a head of 128 KiB", head(of: 128 * 1024), passes: true),
        Size("a head of 128 KiB and a byte", head(of: 128 * 1024 + 1), passes: false),
    ]

    static let protocols: [(upstream: ListenerProtocols, client: ListenerProtocols)] = [
        (.http1, .http1), (.http1, .http2), (.http2, .http1), (.http2, .http2),
    ]

    @Test(arguments: sizes) func `a head at a limit passes, and one past it is 502 and affects no other request`(
        size: Size
    ) async throws {
        for (upstreamProtocols, clientProtocols) in Self.protocols {
            // HTTP/2 sends no status line and no line ends, so the same head is a few bytes smaller there.
            if upstreamProtocols == .http2, !size.passes, size.testDescription.hasPrefix("a head") { continue }
            let upstream = try await RawUpstream.start()
            let target = UpstreamTarget(host: "127.0.0.1", port: upstream.target.port, protocols: upstreamProtocols)
            var settings = GatewaySettings()
            settings.service = .plain(clientProtocols)
            try await withGateway(settings, targets: [target], upstream: upstream) { gateway in
                let client = try await Client(gateway, clientProtocols)
                let server = Server(gateway, upstreamProtocols)
                client.ask(0)
                try await server.answer(0, size.fields)
                let (status, fields) = try await client.answer(0)
                #expect(status == (size.passes ? "200" : "502"), "\(upstreamProtocols) \(clientProtocols)")
                if size.passes {
                    #expect(
                        fields.filter { field in size.fields.contains { $0.0 == field.0 } }.elementsEqual(
                            size.fields, by: ==))
                } else {
                    #expect(try await gateway.logLines(1).first?.contains("\"upstream_invalid\"") == true)
                }
                client.ask(1)
                try await server.answer(1, [("x-small", "1")])
                let small = try await client.answer(1)
                #expect(small.0 == "200", "\(upstreamProtocols) \(clientProtocols)")
                #expect(small.1.contains { $0 == ("x-small", "1") })
            }
        }
    }

    @Test func `a response whose head takes many frames does not delay the other streams`() async throws {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        try await withGateway(settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            for stream: UInt32 in [1, 3] { client.request(stream: stream) }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 40000\r\nX-Large: \(Self.text(32 * 1024))\r\n\r\n"
            let large = head + String(repeating: "b", count: 40_000)
            for index in 0..<2 {
                let server = try await gateway.upstream.connection(index)
                _ = try await server.receive(through: "\r\n\r\n")
                server.send(large)
            }
            var (ends, content, open): (Int, Int, UInt32?) = (0, 0, nil)
            while ends < 2 {
                let frame = try await client.next()
                #expect(frame.payload.count <= 16_384)
                // No other frame may come between the frames of one field section (RFC 9113 §4.3).
                if let open { #expect(frame.type == HTTP2Peer.FrameType.continuation.rawValue && frame.stream == open) }
                if frame.type == 1 || frame.type == 9 { open = frame.flags & 4 == 0 ? frame.stream : nil }
                guard frame.type == 0 else { continue }
                content += frame.payload.count
                ends += Int(frame.flags & 1)
                // Window updates let the rest arrive.
                for stream in [0, frame.stream] where !frame.payload.isEmpty {
                    let count = frame.payload.count
                    client.send(.windowUpdate, stream: stream, [0, 0, UInt8(count >> 8), UInt8(count & 0xFF)])
                }
            }
            #expect(content == 80_000)
        }
    }

    @Test func `a request whose head takes many frames reaches an upstream of HTTP 2 whole`() async throws {
        let upstream = try await RawUpstream.start()
        let target = UpstreamTarget(host: "127.0.0.1", port: upstream.target.port, protocols: .http2)
        try await withGateway(targets: [target], upstream: upstream) { gateway in
            let client = try await gateway.connect()
            let values = (0..<3).map { _ in Self.text(8 * 1024) }
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n" + values.map { "X-Large: \($0)\r\n" }.joined() + "\r\n")
            let server = Server(gateway, .http2)
            let fields = try await server.request(0)
            #expect(fields.filter { $0.0 == "x-large" }.map(\.1) == values)
            try await server.answer(0, [], isRead: true)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
        }
    }
}

/// A client of either protocol. Its requests are numbered from 0.
private final class Client {
    private let plain: RawPeer?
    private let streams: HTTP2Peer?
    private var decoder = HPACKDecoder(
        allocator: ByteBufferAllocator(), maxDynamicTableSize: 4096, maxHeaderListSize: 1 << 20)

    init(_ gateway: GatewayFixture, _ protocols: ListenerProtocols) async throws {
        plain = protocols == .http1 ? try await gateway.connect() : nil
        streams = protocols == .http1 ? nil : try await HTTP2Peer.connect(gateway)
    }

    func ask(_ number: UInt32) {
        plain?.send("GET /a HTTP/1.1\r\nHost: api.example\r\n\r\n")
        streams?.request(stream: number * 2 + 1)
    }

    /// Status and fields of the answer, with names in lower case.
    func answer(_ number: UInt32) async throws -> (String, [(String, String)]) {
        if let streams {
            let answer = try await streams.answer(stream: number * 2 + 1, &decoder)
            return (
                answer.status ?? "reset \(answer.reset ?? 0)", (answer.heads.last ?? [:]).map { ($0.name, $0.value) }
            )
        }
        let plain = try #require(plain)
        let head = try await plain.receive(through: "\r\n\r\n")
        if let length = values("content-length", in: head).first.flatMap({ Int($0) }) {
            _ = try await plain.receive(count: length)
        } else {
            _ = try await plain.receive(through: "0\r\n\r\n")
        }
        let all = fields(head).compactMap { field -> (String, String)? in
            let parts = field.split(separator: ":", maxSplits: 1)
            return parts.count == 2 ? (parts[0].lowercased(), String(parts[1].dropFirst())) : nil
        }
        return (String(firstLine(head).split(separator: " ")[1]), all)
    }
}

/// An upstream of either protocol that answers each request as the test says.
private final class Server {
    private let gateway: GatewayFixture
    private let isHTTP2: Bool
    private var session: HTTP2Peer?
    private var connections = 0
    private var peer: RawPeer?
    private var decoder = HPACKDecoder(
        allocator: ByteBufferAllocator(), maxDynamicTableSize: 4096, maxHeaderListSize: 1 << 20)

    init(_ gateway: GatewayFixture, _ protocols: ListenerProtocols) {
        self.gateway = gateway
        isHTTP2 = protocols == .http2
    }

    /// Takes the next HTTP/2 request.
    func request(_ number: UInt32) async throws -> [(String, String)] {
        let session = try await begun()
        var frame = try await session.next(.headers)
        #expect(frame.stream == number * 2 + 1)
        var block = frame.payload
        while frame.flags & 4 == 0 {
            frame = try await session.next()
            #expect(frame.type == HTTP2Peer.FrameType.continuation.rawValue)
            block += frame.payload
        }
        var bytes = ByteBuffer(bytes: block)
        return try decoder.decodeHeaders(from: &bytes).map { ($0.name, $0.value) }
    }

    private func begun() async throws -> HTTP2Peer {
        if let session { return session }
        let begun = HTTP2Peer(try await gateway.upstream.connection())
        #expect(try await begun.peer.receive(count: HTTP2Peer.preface.count) == HTTP2Peer.preface)
        begun.send(.settings, stream: 0)
        begun.send(.settings, flags: 1, stream: 0)
        session = begun
        return begun
    }

    /// Answers a request with these fields, one more field, and a body.
    func answer(_ number: UInt32, _ fields: [(String, String)], isRead: Bool = false) async throws {
        guard isHTTP2 else { return try await answerPlainly(fields) }
        if !isRead { _ = try await request(number) }
        let session = try await begun()
        var block = HTTP2Peer.block([(":status", "200")] + fields + [("x-more", "2")])[...]
        var type = HTTP2Peer.FrameType.headers
        while !block.isEmpty {
            let part = block.prefix(16_384)
            block = block.dropFirst(part.count)
            session.send(type, flags: block.isEmpty ? 4 : 0, stream: number * 2 + 1, Array(part))
            type = .continuation
        }
        session.send(.data, flags: 1, stream: number * 2 + 1, Array("ok".utf8))
    }

    /// Answers a request over HTTP/1.1. It comes on the same connection as the last one, or on a new one if that was
    /// closed.
    private func answerPlainly(_ fields: [(String, String)]) async throws {
        var isRead = false
        try await eventually {
            isRead = peer?.takeThrough("\r\n\r\n") != nil
            return isRead || gateway.upstream.connectionCount > connections
        }
        if !isRead {
            peer = try await gateway.upstream.connection(connections)
            connections += 1
            _ = try await peer?.receive(through: "\r\n\r\n")
        }
        peer?.send(
            "HTTP/1.1 200 OK\r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "Content-Length: 2\r\n\r\nok")
    }
}
