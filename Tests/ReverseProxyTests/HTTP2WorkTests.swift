import NIOCore
import NIOHPACK
import NetworkNames
import ProxySettings
import Testing

@testable import ReverseProxy

/// HTTP/2 clients whose many small frames carry work, and clients whose frames carry too little of it (RFC 9113 §10.5).
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HTTP2WorkTests {
    private static func settings(isTrusted: Bool = false) throws -> GatewaySettings {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        if isTrusted { settings.trustedProxies = [try #require(AddressRange("127.0.0.1"))] }
        return settings
    }

    private static let call = [
        (":method", "POST"), (":scheme", "http"), (":path", "/shop.Shop/Chat"), (":authority", "a"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ]
    private static let refused = [(":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a")]
    /// A gRPC message of three bytes.
    private static let message: [UInt8] = [0, 0, 0, 0, 3, 1, 2, 3]
    private static let ping = [UInt8](repeating: 1, count: 8)
    private static let enhanceYourCalm: UInt32 = 11

    /// Opens a call and answers it with a response head.
    private static func openCall(_ gateway: GatewayFixture) async throws -> (client: HTTP2Peer, server: RawPeer) {
        let client = try await HTTP2Peer.connect(gateway)
        client.request(call, ends: false)
        let server = try await gateway.upstream.connection()
        _ = try await server.receive(through: "\r\n\r\n")
        server.send("HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\n")
        _ = try await client.next(.headers)
        return (client, server)
    }

    /// Sends one message each way and acknowledges a ping, as grpc-go sends it to measure the round trip.
    private static func exchange(_ client: HTTP2Peer, _ server: RawPeer) async throws {
        client.peer.send(
            HTTP2Peer.frame(.data, stream: 1, message) + HTTP2Peer.frame(.ping, stream: 0, ping)
                + HTTP2Peer.frame(.windowUpdate, stream: 0, [0, 0, 0, 8])
                + HTTP2Peer.frame(.windowUpdate, stream: 1, [0, 0, 0, 8]))
        _ = try await server.receive(count: message.count + 5)
        server.send([0x38, 13, 10] + message + [13, 10])
        var missing: Set<UInt8> = [0, 6]
        while !missing.isEmpty {
            let frame = try await client.next()
            try #require(frame.type != 7, "the connection ends: \(frame.payload)")
            missing.remove(frame.type)
        }
    }

    // MARK: Calls of gRPC

    @Test func `a call of 2,000 messages with a ping for each stays open`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let (client, server) = try await Self.openCall(gateway)
            for _ in 0..<2000 { try await Self.exchange(client, server) }
            client.send(.data, flags: 1, stream: 1)
            _ = try await server.receive(through: "0\r\n\r\n")
            server.send("0\r\n\r\n")
            #expect(try await client.next(.data, stream: 1).flags & 1 == 1)
            #expect(gateway.gateway.state.limits.counts[.brokenConnections] == nil)
        }
    }

    @Test func `a long call may have empty DATA frames between its messages`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let (client, server) = try await Self.openCall(gateway)
            for _ in 0..<300 {
                client.send(.data, stream: 1)
                try await Self.exchange(client, server)
            }
        }
    }

    @Test func `pings without messages close the connection even after a call with many messages`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let (client, server) = try await Self.openCall(gateway)
            for _ in 0..<300 { try await Self.exchange(client, server) }
            for _ in 0..<1100 { client.send(.ping, stream: 0, Self.ping) }
            #expect(try await client.goAway() == Self.enhanceYourCalm)
            #expect(try await client.peer.ends())
            #expect(try await server.ends(), "the call goes on upstream")
            #expect(gateway.gateway.state.limits.counts[.brokenConnections] == 1)
        }
    }

    @Test func `too many pointless WINDOW_UPDATE frames close the connection`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let (client, _) = try await Self.openCall(gateway)
            for _ in 0..<1000 { client.send(.windowUpdate, stream: 1, [0, 0, 0, 1]) }
            #expect(try await client.goAway() == Self.enhanceYourCalm)
            #expect(try await client.peer.ends())
        }
    }

    // MARK: Proxies with many users

    /// Sends requests one after another and resets the given number of every three. Returns true if the connection
    /// stayed open.
    private static func rounds(_ count: Int, resetting resets: Int, at gateway: GatewayFixture) async throws -> Bool {
        let client = try await HTTP2Peer.connect(gateway)
        // A connection window for the content of all answers.
        client.send(.windowUpdate, stream: 0, [0x7F, 0, 0, 0])
        var stream: UInt32 = 1
        for _ in 0..<count {
            for number in 0..<3 {
                let isReset = number < resets
                client.request(isReset ? HTTP2Peer.usual : refused, stream: stream)
                if isReset { client.send(.resetStream, stream: stream, [0, 0, 0, 8]) }
                while !isReset {
                    let frame = try await client.next()
                    if frame.type == 7 { return false }
                    if frame.stream == stream, frame.flags & 1 == 1, frame.type <= 1 { break }
                }
                stream += 2
            }
        }
        client.send(.ping, stream: 0, ping)
        while true {
            let frame = try await client.next()
            if frame.type == 6 { return true }
            if frame.type == 7 { return false }
        }
    }

    @Test func `a trusted proxy is not cut off when its users cancel requests`() async throws {
        try await withGateway(Self.settings(isTrusted: true)) { gateway in
            for (count, resets) in [(700, 1), (300, 2)] {
                let isTaken = try await Self.rounds(count, resetting: resets, at: gateway)
                #expect(isTaken, "\(resets) of three")
            }
        }
    }

    @Test(arguments: [(true, 100, 3, false), (false, 60, 1, true), (false, 200, 2, false)])
    func `a client that cancels more requests than it lets finish is cut off, sooner if untrusted`(
        isTrusted: Bool, count: Int, resets: Int, isTaken: Bool
    ) async throws {
        try await withGateway(Self.settings(isTrusted: isTrusted)) { gateway in
            let wasTaken = try await Self.rounds(count, resetting: resets, at: gateway)
            #expect(wasTaken == isTaken)
        }
    }
}
