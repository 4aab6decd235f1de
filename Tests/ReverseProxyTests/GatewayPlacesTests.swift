import NIOCore
import NIOPosix
import ProxySettings
import Testing

@testable import ReverseProxy

/// The `connections` limit of a fleet: slots at a target, the queue for them, and idle connections, over several event
/// loops.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayPlacesTests {
    private static func settings(
        most: Int, waiting: Int = 100, wait: Duration = .seconds(60), loops: Int = 2, more: [UpstreamTarget] = []
    ) -> GatewaySettings {
        var settings = GatewaySettings(moreTargets: more)
        settings.fleet = FleetSettings(
            balance: .leastRequests, connections: FleetSettings.Connections(most: most, waiting: waiting, wait: wait))
        settings.eventLoops = loops
        return settings
    }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func waiting(_ gateway: GatewayFixture) -> Int {
        gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }?.waiting ?? -1
    }

    private static func inFlight(_ gateway: GatewayFixture) -> [Int] {
        gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }?.targets.map(\.inFlight) ?? []
    }

    /// One request that holds the only slot, and one that waits for it.
    private static func oneWaits(_ gateway: GatewayFixture) async throws -> (first: RawPeer, second: RawPeer) {
        let (first, second) = (try await gateway.connect(), try await gateway.connect())
        first.send(request)
        try await eventually { inFlight(gateway) == [1] }
        second.send(request)
        try await eventually { waiting(gateway) == 1 }
        return (first, second)
    }

    @Test
    func `requests of all event loops wait in order for the one slot, and idle connections of other loops are closed`()
        async throws
    {
        try await withGateway(Self.settings(most: 1)) { gateway in
            var clients: [RawPeer] = []
            // Connections are assigned to the two event loops in turn.
            for number in 0..<6 {
                let client = try await gateway.connect()
                client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                clients.append(client)
                try await eventually { Self.inFlight(gateway) == [1] && Self.waiting(gateway) == number }
            }
            #expect(gateway.gateway.requestsInFlight == 6)
            var served = 0
            while served < 6 {
                let upstream = try await gateway.upstream.connection(served)
                let head = try await upstream.receive(through: "\r\n\r\n")
                #expect(head.hasPrefix("GET /\(served) "))
                #expect(gateway.upstream.connectionCount == served + 1)
                upstream.send(Self.answer)
                #expect(try await clients[served].receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
                // The next request is on the other event loop: this connection was closed before another was opened.
                served += 1
                if served < 6 { try await eventually { upstream.hasEnded } }
            }
            try await eventually { Self.inFlight(gateway) == [0] && Self.waiting(gateway) == 0 }
        }
    }

    @Test func `event loops together never open more connections to a target than it has slots`() async throws {
        let other = try await RawUpstream.start()
        try await withGateway(Self.settings(most: 3, loops: 2, more: [other.target])) { gateway in
            let upstreams = [gateway.upstream, other]
            let answering = upstreams.map { $0.answer { _ in Self.answer } }
            defer { for task in answering { task.cancel() } }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let client = try await gateway.connect()
                        var good = 0
                        for _ in 0..<40 {
                            client.send(Self.request)
                            if try await client.receive(through: "ok").hasPrefix("HTTP/1.1 200 ") { good += 1 }
                        }
                        return good
                    }
                }
                for try await good in group { #expect(good == 40) }
            }
            #expect(upstreams.map(\.mostOpen) == [3, 3])
            #expect(upstreams.allSatisfy { $0.connectionCount > 10 }, "loops have taken places from each other")
            #expect(gateway.gateway.state.limits.counts[.upstreamConnections] == nil)
            try await eventually { Self.inFlight(gateway) == [0, 0] && Self.waiting(gateway) == 0 }
        }
        try await other.stop()
    }

    @Test func `a request over the queue limits is 503, counted, and told to retry after a second`() async throws {
        try await withGateway(Self.settings(most: 1, waiting: 1, wait: .milliseconds(300), loops: 1)) { gateway in
            let clients = [try await gateway.connect(), try await gateway.connect(), try await gateway.connect()]
            clients[0].send(Self.request)
            try await eventually { Self.inFlight(gateway) == [1] }
            clients[1].send(Self.request)
            try await eventually { Self.waiting(gateway) == 1 }
            clients[2].send(Self.request)
            let refused = try await clients[2].receive(through: "\r\n\r\n")
            #expect(
                firstLine(refused) == "HTTP/1.1 503 Service Unavailable" && values("retry-after", in: refused) == ["1"])
            let start = ContinuousClock.now
            let late = try await clients[1].receive(through: "\r\n\r\n")
            #expect(firstLine(late) == "HTTP/1.1 503 Service Unavailable" && values("retry-after", in: late) == ["1"])
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(gateway.gateway.state.limits.counts[.upstreamConnections] == 2 && Self.waiting(gateway) == 0)
            try await gateway.upstream.connection().receiveAndSend(Self.answer)
            #expect(try await clients[0].receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            // Connections of refused clients stay usable.
            clients[1].send(Self.request)
            try await gateway.upstream.connection().receiveAndSend(Self.answer)
            #expect(try await clients[1].receive(through: "ok").contains("HTTP/1.1 200 "))
            let lines = try await gateway.logLines(4)
            #expect(
                lines.prefix(2).allSatisfy { $0.contains(#""reason":"overloaded""#) && !$0.contains("upstream_error") },
                "\(lines)")
        }
    }

    @Test func `requests to an HTTP/2 target are limited although they share a connection`() async throws {
        try await withHTTP2Upstream(Self.settings(most: 2, loops: 1)) { gateway in
            var clients: [RawPeer] = []
            var server: HTTP2Peer?
            for number in 0..<3 {
                clients.append(try await gateway.connect())
                clients[number].send(Self.request)
                // The first request opens the connection that the second uses.
                if server == nil { server = try await gateway.http2Server() }
                let expected = number < 2 ? ([number + 1], 0) : ([2], 1)
                try await eventually { Self.inFlight(gateway) == expected.0 && Self.waiting(gateway) == expected.1 }
            }
            for number in 0..<3 {
                let stream = try await #require(server).next(.headers).stream
                #expect(stream == UInt32(2 * number + 1))
                try #require(server).send(
                    .headers, flags: 5, stream: stream, HTTP2Peer.block([(":status", "204"), ("date", "d")]))
                #expect(try await clients[number].receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
            }
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `the body of a waiting request waits with it`() async throws {
        try await withGateway(Self.settings(most: 1, loops: 1)) { gateway in
            let (first, second) = (try await gateway.connect(), try await gateway.connect())
            first.send(Self.request)
            try await eventually { Self.inFlight(gateway) == [1] }
            second.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc")
            try await eventually { Self.waiting(gateway) == 1 }
            second.send("def")
            let upstream = try await gateway.upstream.connection()
            _ = try await upstream.receive(through: "\r\n\r\n")
            upstream.send(Self.answer)
            #expect(try await upstream.receive(through: "abcdef").hasPrefix("POST / "))
            upstream.send(Self.answer)
            #expect(try await second.receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            #expect(gateway.upstream.connectionCount == 1, "the connection was used again")
        }
    }

    @Test func `a client that disconnects leaves the queue, or frees its slot at the target`()
        async throws
    {
        try await withGateway(Self.settings(most: 1)) { gateway in
            var clients: [RawPeer] = []
            for number in 0..<4 {
                clients.append(try await gateway.connect())
                clients[number].send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                try await eventually { Self.inFlight(gateway) == [1] && Self.waiting(gateway) == number }
            }
            try await clients[1].reset()
            try await eventually { Self.waiting(gateway) == 2 && gateway.gateway.requestsInFlight == 3 }
            _ = try await gateway.upstream.connection().receive(through: "\r\n\r\n")
            try await clients[0].reset()
            for number in [2, 3] {
                let upstream = try await gateway.upstream.connection(number - 1)
                #expect(try await upstream.receive(through: "\r\n\r\n").hasPrefix("GET /\(number) "))
                upstream.send(Self.answer)
                #expect(try await clients[number].receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func `a waiting client that half-closes is answered at once and leaves the queue`() async throws {
        try await withGateway(Self.settings(most: 1)) { gateway in
            let (first, second, third) = (
                try await gateway.connect(), try await gateway.connect(), try await gateway.connect()
            )
            first.send(Self.request)
            try await eventually { Self.inFlight(gateway) == [1] }
            second.send(Self.request)
            third.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc")
            try await eventually { Self.waiting(gateway) == 2 }
            second.halfClose()
            #expect(firstLine(try await second.receive(through: "\r\n\r\n")) == "HTTP/1.1 503 Service Unavailable")
            third.halfClose()
            #expect(firstLine(try await third.receive(through: "\r\n\r\n")) == "HTTP/1.1 503 Service Unavailable")
            try await eventually { Self.waiting(gateway) == 0 }
            try await gateway.upstream.connection().receiveAndSend(Self.answer)
            #expect(try await first.receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `a target that never completes connections is ejected, even if its clients leave early`() async throws {
        let (channels, target) = try await Self.blackHole()
        var settings = Self.settings(most: 1)
        settings.timeouts.connect = .seconds(1)
        settings.fleet = FleetSettings(ejection: FleetSettings.Ejection(failures: 2, duration: .seconds(3600)))
        let good = try await RawUpstream.start()
        let answering = good.answer { _ in Self.answer }
        defer { answering.cancel() }
        try await withGateway(settings, targets: [target, good.target]) { gateway in
            for _ in 0..<4 {
                let client = try await gateway.connect()
                client.send(Self.request)
                // The request is either answered, or hangs at the target; then its client disconnects.
                try await eventually { gateway.gateway.requestsInFlight == 0 || Self.inFlight(gateway)[0] > 0 }
                try await client.reset()
                try await eventually { gateway.gateway.requestsInFlight == 0 }
            }
            try await eventually {
                gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }?.targets.map(\.isIn) == [
                    false, true,
                ]
            }
            try await eventually { Self.inFlight(gateway) == [0, 0] }
        }
        for channel in channels { try? await channel.close() }
        try await good.stop()
    }

    @Test
    func `requests waiting at an upstream that a reload removes are served, and new requests have separate slots`()
        async throws
    {
        let settings = Self.settings(most: 1)
        let other = try await RawUpstream.start()
        try await withGateway(settings) { gateway in
            let ((first, second), third) = (try await Self.oneWaits(gateway), try await gateway.connect())
            await gateway.gateway.reload(try settings.configuration(for: [other.target], generation: 2))
            #expect(Self.waiting(gateway) == 0, "of the new upstream")
            third.send(Self.request)
            try await other.connection().receiveAndSend(Self.answer)
            #expect(try await third.receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            try await gateway.upstream.connection(0).receiveAndSend(Self.answer)
            #expect(try await first.receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            try await gateway.upstream.connection(1).receiveAndSend(Self.answer)
            #expect(try await second.receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            for number in 0..<2 {
                let upstream = try await gateway.upstream.connection(number)
                try await eventually { upstream.hasEnded }
            }
        }
        try await other.stop()
    }

    @Test func `a reload that leaves the upstream unchanged keeps its queue`() async throws {
        let settings = Self.settings(most: 1)
        try await withGateway(settings) { gateway in
            let ((first, second), third) = (try await Self.oneWaits(gateway), try await gateway.connect())
            await gateway.gateway.reload(try settings.configuration(for: [gateway.upstream.target], generation: 2))
            third.send(Self.request)
            try await eventually { Self.waiting(gateway) == 2 }
            var answered = 0
            for number in 0..<3 {
                try await gateway.upstream.connection(number).receiveAndSend(Self.answer)
                answered += 1
            }
            for client in [first, second, third] {
                #expect(try await client.receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            }
            #expect(answered == 3)
        }
    }

    @Test func `a drain serves waiting requests`() async throws {
        var settings = Self.settings(most: 1)
        settings.timeouts = ProxyTimeouts(drain: .seconds(10))
        try await withGateway(settings) { gateway in
            let (first, second) = try await Self.oneWaits(gateway)
            async let drain: Void = gateway.gateway.drain()
            try await eventually { gateway.gateway.isDraining }
            for (number, client) in [first, second].enumerated() {
                try await gateway.upstream.connection(number).receiveAndSend(Self.answer)
                #expect(try await client.receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            }
            await drain
        }
    }

    @Test func `waiting requests are 503 when the last target is drained`() async throws {
        try await withGateway(Self.settings(most: 1)) { gateway in
            let (first, second) = try await Self.oneWaits(gateway)
            #expect(!gateway.gateway.drain(gateway.upstream.target.name, of: nil, below: nil, true).isEmpty)
            let refused = try await second.receive(through: "\r\n\r\n")
            #expect(
                firstLine(refused) == "HTTP/1.1 503 Service Unavailable" && values("retry-after", in: refused) == ["1"])
            try await gateway.upstream.connection().receiveAndSend(Self.answer)
            #expect(try await first.receive(through: "ok").hasPrefix("HTTP/1.1 200 "))
            let lines = try await gateway.logLines(2)
            #expect(lines.contains { $0.contains(#""reason":"upstream_unavailable""#) }, "\(lines)")
        }
    }

    /// A target whose connections never complete and never fail, since the accept queue of its socket is full.
    private static func blackHole() async throws -> (channels: [any Channel], target: UpstreamTarget) {
        let channel = try await ServerBootstrap(group: RawPeer.group)
            .serverChannelOption(.backlog, value: 0).serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(channel.localAddress?.port)
        let filling = try await ClientBootstrap(group: RawPeer.group).connect(host: "127.0.0.1", port: port).get()
        return ([channel, filling], UpstreamTarget(host: "127.0.0.1", port: port))
    }

    @Test func `a connection being established keeps its slot when its client disconnects`() async throws {
        let (channels, target) = try await Self.blackHole()
        var settings = Self.settings(most: 1)
        settings.timeouts.connect = .seconds(2)
        settings.fleet.ejection = nil
        settings.fleet.retries.causes = []
        try await withGateway(settings, targets: [target]) { gateway in
            let (first, second) = (try await gateway.connect(), try await gateway.connect())
            first.send(Self.request)
            try await eventually { Self.inFlight(gateway) == [1] }
            try await first.reset()
            try await eventually { gateway.gateway.requestsInFlight == 0 }
            #expect(Self.inFlight(gateway) == [1], "the attempt to connect goes on")
            second.send(Self.request)
            try await eventually { Self.waiting(gateway) == 1 }
            // Then the other request takes the slot and ends in the same way.
            try await eventually { Self.waiting(gateway) == 0 && Self.inFlight(gateway) == [1] }
            #expect(firstLine(try await second.receive(through: "\r\n\r\n")) == "HTTP/1.1 504 Gateway Timeout")
            try await eventually { Self.inFlight(gateway) == [0] }
        }
        for channel in channels { try? await channel.close() }
    }
}

extension RawPeer {
    /// Receives one request and answers it.
    fileprivate func receiveAndSend(_ answer: String) async throws {
        _ = try await receive(through: "\r\n\r\n")
        send(answer)
    }
}
