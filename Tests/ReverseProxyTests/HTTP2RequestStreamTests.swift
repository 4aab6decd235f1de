import AccessControl
import AuthorizationDoors
import HTTPMessages
import RequestAuthorization
import Testing

@testable import ReverseProxy

/// Storage that a stream holds for its request while the client keeps the stream open.
struct HTTP2RequestStreamTests {
    @Test(arguments: [true, false]) func `a finished request that is not reused is released`(isAnswered: Bool) throws {
        let fixture = try UpstreamSessionFixture()
        let supplies = HTTP2Supplies(on: fixture.loop, fixture.upstreams)
        let hop = DownstreamHop(ClientAddress(peer: "192.0.2.1"))
        weak var left: HTTP2RequestStream?
        do {
            let request = supplies.takeRequest(of: hop)
            left = request
            request.exchange.begin(on: request, hop: hop)
            if isAnswered { _ = request.state.answered(.awaited) }
            request.closed()
        }
        #expect(left == nil)
    }

    private static func asked(_ method: String, _ more: [(String, String)] = []) -> [(String, String)] {
        [(":method", method), (":scheme", "http"), (":path", "/private"), (":authority", "a")] + more
    }

    @Test func `bytes that give nothing to write schedule no round`() throws {
        let fixture = try HTTP2ConnectionFixture()
        try fixture.request(Self.asked("POST"), stream: 1, ends: false)
        // A PING is answered, its answer is not.
        try fixture.receive(HTTP2Peer.frame(.ping, stream: 0, [UInt8](repeating: 1, count: 8)), endsRound: false)
        #expect(fixture.connection.awaitsRoundEnd)
        fixture.endRound()
        try fixture.receive(
            HTTP2Peer.frame(.ping, flags: 1, stream: 0, [UInt8](repeating: 2, count: 8)), endsRound: false)
        #expect(!fixture.connection.awaitsRoundEnd)
    }

    /// Fields that need more storage than an ordinary head.
    private static let much = (0..<2).map { ("x-\($0)", String(repeating: "y", count: 6000)) }

    @Test(arguments: [[], [("content-length", "1")]] as [[(String, String)]])
    func `T540 an answered upload that stalls holds no storage for its head`(length: [(String, String)])
        throws
    {
        let fixture = try HTTP2ConnectionFixture()
        try fixture.request(Self.asked("POST", length + Self.much), stream: 1, ends: false)
        try fixture.request(Self.asked("POST", length), stream: 3, ends: false)
        #expect(fixture.requests.count == 2)
        for request in fixture.requests {
            let (isInProgress, status) = (request.state.isInProgress, request.exchange.record.status)
            #expect(!isInProgress && status == 401)
            #expect(request.exchange.request.head.bytes.capacity == 0)
            #expect(request.exchange.request.path.canonical == Array("/".utf8))
        }
    }

    @Test func `T540 a request whose answer is not read holds at most the storage of an ordinary head`() throws {
        // With SETTINGS_INITIAL_WINDOW_SIZE 0 the content of an answer has to wait.
        let fixture = try HTTP2ConnectionFixture(settings: [0, 4, 0, 0, 0, 0])
        try fixture.request(Self.asked("GET", Self.much), stream: 1, ends: true)
        try fixture.request(Self.asked("GET"), stream: 3, ends: true)
        let capacities = fixture.requests.map(\.exchange.request.head.bytes.capacity)
        try #require(capacities.count == 2)
        #expect(capacities[0] == 0)
        #expect(capacities[1] > 0, "it is used again")
        #expect(
            fixture.requests.allSatisfy {
                $0.exchange.request.head.bytes.isEmpty && $0.exchange.request.head.section.fields.isEmpty
            })
    }

    @Test func `a request in progress holds its head, and T540 an aborted request does not`() throws {
        let fixture = try HTTP2ConnectionFixture(door: Door(kind: .envoyGRPC, peers: nil))
        let call = [
            (":method", "POST"), (":scheme", "http"), (":path", "/envoy.service.auth.v3.Authorization/Check"),
            (":authority", "a"),
            ("content-type", "application/grpc"), ("te", "trailers"),
        ]
        try fixture.request(call, ends: false)
        let request = try #require(fixture.requests.first)
        let (isInProgress, wasHeld) = (request.state.isInProgress, !request.exchange.request.head.bytes.isEmpty)
        #expect(isInProgress && wasHeld)
        request.abort()
        #expect(request.exchange.request.head.bytes.capacity == 0)
    }
}
