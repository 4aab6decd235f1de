import HTTPMessages
import NIOCore
import NIOEmbedded
import ProxySettings
import RequestAuthorization
import Testing

@testable import ReverseProxy

/// Request trailers on their way to upstreams of both protocols, without sockets.
struct RequestTrailerTests {
    private typealias Fixture = UpstreamSessionFixture

    /// Trailers of a client, among them fields that only a head may have.
    private static let trailers =
        "x-sum: 1\r\nauthorization: Bearer x\r\nx-auth-subject: root\r\nX_Auth_Subject: root\r\ncookie: a\r\nx-more: 2\r\n"

    private func exchange(_ upstream: Fixture, _ client: ScriptedClient, _ head: String) throws -> RequestExchange {
        var parser = RequestHeadParser()
        #expect(try parser.parse(Array(head.utf8).span) == .complete)
        let exchange = RequestExchange(
            on: upstream.loop, upstream.upstreams, hop: DownstreamHop(ClientAddress(peer: "192.0.2.1")))
        exchange.begin(on: client, hop: exchange.hop)
        exchange.headBegan()
        exchange.request = AuthorizationRequest(head: parser.head)
        exchange.headReceived(isWhole: true)
        return exchange
    }

    private static let chunked = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test func `request trailers to an HTTP 2 upstream follow the content`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let client = ScriptedClient()
        client.parts = [BodyPart(content: ByteBuffer(string: "he"), isLast: false)]
        let exchange = try exchange(upstream, client, Self.chunked)
        #expect(try upstream.frames().filter { $0.stream == 1 }.map(\.type) == [1, 0])
        client.parts = [BodyPart(content: ByteBuffer(string: "llo"), isLast: true, trailers: Array(Self.trailers.utf8))]
        #expect(exchange.receiveBody())
        let frames = try upstream.frames().filter { $0.stream == 1 }
        #expect(frames.map(\.type) == [0, 1])
        #expect(frames.last?.payload.count ?? 0 > 0 && frames.last?.flags == 5)
        // The request is held completely until it is answered, in case the upstream refuses it.
        #expect(upstream.loop.gateway.heldBodies.byteCount == 8 + "x-sum: 1\r\nx-more: 2\r\n".utf8.count)
        try upstream.receive(Fixture.head(1))
        #expect(upstream.loop.gateway.heldBodies.byteCount == 0)
        try upstream.receive(Fixture.data(1, ends: true, Array("ok".utf8)))
        #expect(client.answer == "200 ok end")
    }

    @Test func `request trailers to an HTTP 1_1 upstream follow the last chunk`() throws {
        let upstream = try Fixture()
        let client = ScriptedClient()
        client.parts = [
            BodyPart(content: ByteBuffer(string: "hello"), isLast: true, trailers: Array(Self.trailers.utf8))
        ]
        let channel = EmbeddedChannel(loop: upstream.eventLoop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 9)).wait()
        let connection = UpstreamConnection(
            to: upstream.pool, on: upstream.loop, for: ScriptedLessee(), LeaseTerms(), limits: HeadLimits().forUpstream)
        try channel.pipeline.syncOperations.addHandler(connection)
        // Nothing needs the connection any more, so it goes back to the pool.
        connection.abandon()
        connection.connected()
        let exchange = try exchange(upstream, client, Self.chunked)
        var text = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
        #expect(text.hasSuffix("\r\n\r\n5\r\nhello\r\n0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n"))
        #expect(exchange.isBusy && exchange.requestEnded)
        exchange.clientGone()
    }
}

/// A client whose parts the test provides, and which records its answer.
private final class ScriptedClient: RequestCarrier {
    var parts: [BodyPart] = []
    private(set) var answer = ""

    var isWritable: Bool { true }
    var unwrittenBytes: Int { 0 }
    var mayEndEarly: Bool { true }
    var bodyByteCount: Int { 0 }
    var bodyRest: Int? { nil }

    func takeBody() throws(RejectedBody) -> BodyPart {
        parts.isEmpty ? BodyPart(content: nil, isLast: false) : parts.removeFirst()
    }

    func discardInput() {}
    func process() {}
    func sendInterim(_ head: ResponseHead) {}

    func sendResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8]) {
        let words = [head.map { "\($0.status)" }, content.map { String(buffer: $0) }, ends ? "end" : nil].compactMap(
            \.self)
        answer += (answer.isEmpty ? "" : " ") + words.joined(separator: " ")
    }

    func sendAnswer(_ answer: OwnAnswer, rest: Int?, endsConnection: Bool) { self.answer += "own \(answer.status)" }
    func exchangeEnded() {}
    func sendUpgrade(_ head: ResponseHead) {}
    func sendTunnel(_ bytes: ByteBuffer) {}
    func tunnelEnded() {}
    func abort() {}
    func close() {}
}
