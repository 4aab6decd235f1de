import ProxySettings
import Synchronization
import Testing

@testable import ReverseProxy

/// Health checks of targets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayHealthTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func settings(_ question: HealthCheck.Question, host: String? = nil, more: [UpstreamTarget] = [])
        -> GatewaySettings
    {
        var settings = GatewaySettings(moreTargets: more)
        settings.fleet = FleetSettings(
            health: HealthCheck(
                question, host: host, interval: .milliseconds(100), timeout: .milliseconds(700), downAfter: 2,
                upAfter: 2))
        return settings
    }

    private static let http = HealthCheck.Question.http(path: "/healthz?deep=1", expect: 200...299)

    /// Cause for which each target is out. Nil for a target that is in.
    private static func causes(_ gateway: GatewayFixture) -> [String?] {
        let report = gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }
        return report?.targets.map { $0.isIn ? nil : $0.cause ?? "" } ?? []
    }

    /// Answers of a target to health checks; other requests get 200.
    private final class Health: Sendable {
        private let state = Mutex((status: 200, checks: [String]()))

        var checks: [String] { state.withLock { $0.checks } }

        func become(_ status: Int) { state.withLock { $0.status = status } }

        func answer(_ request: String) -> String {
            guard request.contains("bearward-health") else { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
            let status = state.withLock { state in
                state.checks.append(request)
                return state.status
            }
            return "HTTP/1.1 \(status) \r\nContent-Length: 3\r\n\r\nabc"
        }
    }

    private static func status(_ client: RawPeer) async throws -> String {
        client.send(get)
        return firstLine(try await client.receive(through: "\r\n\r\n"))
    }

    @Test func `a target whose health checks fail gets no requests until they pass again`() async throws {
        let (other, health) = (try await RawUpstream.start(), Health())
        let answers = other.answer(health.answer)
        defer { answers.cancel() }
        try await withGateway(Self.settings(Self.http, host: "shop.internal:81", more: [other.target])) { gateway in
            let well = gateway.upstream.answer(Health().answer)
            defer { well.cancel() }
            #expect(try await holds { health.checks.count >= 2 })
            #expect(Self.causes(gateway) == [nil, nil])
            let first = try #require(health.checks.first)
            #expect(health.checks.allSatisfy { $0 == first })
            #expect(
                first
                    == "GET /healthz?deep=1 HTTP/1.1\r\nHost: shop.internal:81\r\nuser-agent: bearward-health\r\nConnection: close\r\n\r\n"
            )
            health.become(500)
            #expect(try await holds { Self.causes(gateway) == [nil, "health check: answered 500"] })
            let client = try await gateway.connect()
            for _ in 0..<20 { #expect(try await Self.status(client) == "HTTP/1.1 200 OK") }
            #expect(gateway.gateway.state.attempts.sums.all[[other.target.authority]] == nil)
            health.become(299)
            #expect(try await holds { Self.causes(gateway) == [nil, nil] })
            for _ in 0..<4 { #expect(try await Self.status(client) == "HTTP/1.1 200 OK") }
            try await expectOutcomes([.successful: 24], gateway)
        }
        try await other.stop()
    }

    @Test func `with every target out, requests are 503 with Retry-After`() async throws {
        let health = Health()
        health.become(503)
        try await withGateway(Self.settings(Self.http)) { gateway in
            let answers = gateway.upstream.answer(health.answer)
            defer { answers.cancel() }
            #expect(try await holds { Self.causes(gateway) == ["health check: answered 503"] })
            let client = try await gateway.connect()
            client.send(Self.get)
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "HTTP/1.1 503 Service Unavailable" && values("retry-after", in: head) == ["1"])
            let line = try #require(try await gateway.logLines(1).first)
            #expect(
                line.contains(#""reason":"upstream_unavailable""#)
                    && line.contains("no target is available"), "\(line)"
            )
            health.become(200)
            #expect(try await holds { Self.causes(gateway) == [nil] })
            let next = try await gateway.connect()
            #expect(try await Self.status(next) == "HTTP/1.1 200 OK")
        }
    }

    @Test(arguments: [false, true])
    func `a target that is silent or unreachable fails its health checks`(isThere: Bool) async throws {
        let other = try await RawUpstream.start()
        let target = other.target
        if !isThere { try await other.stop() }
        try await withGateway(Self.settings(Self.http, more: [target])) { gateway in
            let well = gateway.upstream.answer(Health().answer)
            defer { well.cancel() }
            let cause = isThere ? "health check: no response in time" : "health check: no connection"
            let fails = try await holds { Self.causes(gateway) == [nil, cause] }
            #expect(fails)
        }
        if isThere { try await other.stop() }
    }

    @Test func `a malformed response fails a health check`() async throws {
        try await withGateway(Self.settings(Self.http)) { gateway in
            let answers = gateway.upstream.answer { _ in
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"
            }
            defer { answers.cancel() }
            let cause = "health check: the connection ended before a response, or the response was malformed"
            let fails = try await holds { Self.causes(gateway) == [cause] }
            #expect(fails)
        }
    }

    @Test func `health checks continue after an unrelated reload, and stop when a reload removes them`()
        async throws
    {
        let health = Health()
        health.become(503)
        let settings = Self.settings(Self.http)
        try await withGateway(settings) { gateway in
            let answers = gateway.upstream.answer(health.answer)
            defer { answers.cancel() }
            #expect(try await holds { Self.causes(gateway) == ["health check: answered 503"] })
            await gateway.gateway.reload(try settings.configuration(for: [gateway.upstream.target], generation: 2))
            #expect(Self.causes(gateway) == ["health check: answered 503"])
            let checks = health.checks.count
            #expect(try await holds { health.checks.count > checks + 2 })
            var without = settings
            without.fleet.health = nil
            await gateway.gateway.reload(try without.configuration(for: [gateway.upstream.target], generation: 3))
            #expect(Self.causes(gateway) == [nil])
            let client = try await gateway.connect()
            #expect(try await Self.status(client) == "HTTP/1.1 200 OK")
        }
    }

    @Test func `a gRPC health check asks the health service over HTTP/2`() async throws {
        try await withHTTP2Upstream(Self.settings(.grpc(service: "shop.Cart"))) { gateway in
            /// Answers one health check and returns the content of its request.
            func answer(_ index: Int, content: [UInt8], _ trailers: [(String, String)]) async throws -> [UInt8] {
                let server = try await gateway.http2Server(index)
                _ = try await server.next(.headers)
                let question = try await server.next(.data, stream: 1).payload
                server.send(
                    .headers, flags: 4, stream: 1,
                    HTTP2Peer.block([(":status", "200"), ("content-type", "application/grpc")]))
                server.send(.data, stream: 1, content)
                server.send(.headers, flags: 5, stream: 1, HTTP2Peer.block(trailers))
                return question
            }
            let ok = [("grpc-status", "0")]
            #expect(
                try await answer(0, content: [0, 0, 0, 0, 2, 8, 1], ok) == [0, 0, 0, 0, 11, 0x0A, 9]
                    + Array("shop.Cart".utf8))
            for index in 1...2 { _ = try await answer(index, content: [0, 0, 0, 0, 2, 8, 2], ok) }
            #expect(try await holds { Self.causes(gateway) == ["health check: gRPC: not serving"] })
            for index in 3...4 { _ = try await answer(index, content: [0, 0, 0, 0, 2, 8, 1], ok) }
            #expect(try await holds { Self.causes(gateway) == [nil] })
            // A server without the health service sends its verdict in the head.
            for index in 5...6 {
                let server = try await gateway.http2Server(index)
                _ = try await server.next(.headers)
                server.send(
                    .headers, flags: 5, stream: 1, HTTP2Peer.block([(":status", "200"), ("grpc-status", "12")]))
            }
            #expect(try await holds { Self.causes(gateway) == ["health check: gRPC: status 12"] })
        }
    }
}
