import HTTPMessages
import NIOHPACK
import NetworkNames
import ProxySettings
import Synchronization
import Testing

@testable import ReverseProxy

/// The request ID, and which peers may choose it.
@Suite struct RequestIDTests {
    @Test func `request IDs are 32 hexadecimal digits and do not repeat`() {
        var random = RequestIDGenerator()
        var seen: Set<String> = []
        for _ in 0..<10_000 {
            seen.insert(String(decoding: RequestID.made(random.next(), random.next()).text, as: UTF8.self))
        }
        #expect(seen.count == 10_000)
        #expect(
            seen.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) && !$0.contains(where: \.isUppercase) }
        )
        let text = RequestID.made(0x0123_4567_89AB_CDEF, 1).text
        #expect(String(decoding: text, as: UTF8.self) == "0123456789abcdef0000000000000001")
    }

    private func requestID(_ fields: [String], peerIsTrusted: Bool = true) throws -> RequestID {
        var parser = RequestHeadParser()
        let text = (["GET / HTTP/1.1", "Host: a"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
        _ = try parser.parse(text.utf8.span)
        var random = RequestIDGenerator()
        return RequestID(head: parser.head, peerIsTrusted: peerIsTrusted, using: &random)
    }

    @Test(arguments: ["a", "r-17", "A.z_0-9", String(repeating: "x", count: 128)])
    func `the request ID of a trusted peer is kept, and that of any other peer is not`(text: String) throws {
        #expect(try requestID(["X-Request-ID: \(text)"]) == .received(Array(text.utf8)))
        #expect(try requestID(["X-Request-ID: \(text)"]).text == Array(text.utf8))
        guard case .made = try requestID(["X-Request-ID: \(text)"], peerIsTrusted: false) else { throw NotMade() }
    }

    @Test(arguments: [
        ["X-Request-ID:"], ["X-Request-ID: a b"], ["X-Request-ID: a\"b"], ["X-Request-ID: a/b"], ["X-Request-ID: a,b"],
        ["X-Request-ID: a;b"], ["X-Request-ID: a+b"], ["X-Request-ID: a:b"], ["X-Request-ID: a\tb"],
        ["X-Request-ID: a~b"],
        ["X-Request-ID: \(String(repeating: "x", count: 129))"], ["X-Request-ID: a", "X-Request-ID: a"], [],
    ])
    func `an invalid request ID of a trusted peer is replaced`(fields: [String]) throws {
        guard case .made = try requestID(fields) else { throw NotMade() }
    }

    private struct NotMade: Error {}
}

/// The request ID of every answer, over sockets and both protocols.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayRequestIDTests {
    private struct Seen: Sendable {
        let upstream: String?
        let client: [String]
        let content: String
        let logged: String?
    }

    private final class Box: Sendable {
        let seen = Mutex<Seen?>(nil)
    }

    /// Sends one request and returns the request ID seen by each side.
    private func ask(
        _ path: String, _ protocols: ListenerProtocols, id: String? = nil, isTrusted: Bool = false,
        answer: String? = nil
    ) async throws -> Seen {
        var settings = GatewaySettings()
        settings.service = .plain(protocols)
        settings.trustedProxies = isTrusted ? [try #require(AddressRange("127.0.0.0/8"))] : []
        let box = Box()
        try await withGateway(settings) { gateway in
            let log: @Sendable () async throws -> String? = {
                try await gateway.logLines(1).first?.firstMatch(of: /"request_id":"([^"]*)"/).map { String($0.1) }
            }
            let upstream: @Sendable () async throws -> String? = {
                guard let answer else { return nil }
                let server = try await gateway.upstream.connection()
                let head = try await server.receive(through: "\r\n\r\n")
                server.send(answer)
                return values("x-request-id", in: head).first
            }
            if protocols == .http1 {
                let client = try await gateway.connect()
                let field = id.map { "X-Request-ID: \($0)\r\n" } ?? ""
                client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
                let name = try await upstream()
                let text = try await client.receive(through: answer == nil ? "}" : "ok")
                let seen = Seen(
                    upstream: name, client: values("x-request-id", in: text), content: text, logged: try await log())
                box.seen.withLock { $0 = seen }
            } else {
                let client = try await HTTP2Peer.connect(gateway)
                let request = [(":method", "GET"), (":scheme", "http"), (":path", path), (":authority", "a")]
                client.request(request + (id.map { [("x-request-id", $0)] } ?? []))
                let name = try await upstream()
                let received = try await client.answer()
                let fields = received.heads.last?["x-request-id"] ?? []
                let seen = Seen(upstream: name, client: fields, content: received.text, logged: try await log())
                box.seen.withLock { $0 = seen }
            }
        }
        return try #require(box.seen.withLock { $0 })
    }

    static let answer = "HTTP/1.1 200 OK\r\nX-Request-ID: theirs\r\nx-request-id: again\r\nContent-Length: 2\r\n\r\nok"

    @Test(arguments: [ListenerProtocols.http1, .http2])
    func `client, upstream and log have the same request ID, whatever the upstream answers`(
        protocols: ListenerProtocols
    ) async throws {
        let seen = try await ask("/a", protocols, id: "mine", answer: Self.answer)
        #expect(seen.client.first?.utf8.count == 32)
        #expect(seen.client == [seen.upstream] && seen.client == [seen.logged])
    }

    @Test(arguments: [ListenerProtocols.http1, .http2])
    func `a trusted peer gets its request ID back, unless it is invalid`(protocols: ListenerProtocols)
        async throws
    {
        let seen = try await ask("/a", protocols, id: "Edge_17.a-b", isTrusted: true, answer: Self.answer)
        #expect(seen.client == ["Edge_17.a-b"] && seen.upstream == "Edge_17.a-b" && seen.logged == "Edge_17.a-b")
        let replaced = try await ask("/a", protocols, id: "a b", isTrusted: true, answer: Self.answer)
        #expect(replaced.client.first?.utf8.count == 32)
        #expect(replaced.client == [replaced.upstream] && replaced.client == [replaced.logged])
    }

    @Test(arguments: [ListenerProtocols.http1, .http2])
    func `a refusal has the request ID in its head and in its document`(protocols: ListenerProtocols) async throws {
        let seen = try await ask("/private", protocols)
        #expect(seen.client.first?.utf8.count == 32)
        #expect(seen.client == [seen.logged])
        #expect(seen.content.contains("\"request_id\":\"\(seen.logged ?? "")\""))
        #expect(try await ask("/private", protocols, id: "r-17", isTrusted: true).client == ["r-17"])
    }

    @Test func `a malformed request has a request ID too`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-ID: mine\r\nX\n: 1\r\n\r\n")
            let answer = try await client.receiveToEnd()
            let name = try #require(values("x-request-id", in: answer).first)
            #expect(name.utf8.count == 32)
            #expect(try await gateway.logLines(1).first?.contains(#""request_id":"\#(name)""#) == true)
        }
    }
}
