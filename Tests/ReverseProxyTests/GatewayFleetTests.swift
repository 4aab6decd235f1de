import NetworkNames
import ProxySettings
import Testing

@testable import ReverseProxy

/// Load balancing: selection of targets, ejection, and retries.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayFleetTests {
    /// A target that refuses connections.
    private static func dead() async throws -> UpstreamTarget {
        let upstream = try await RawUpstream.start()
        let target = upstream.target
        try await upstream.stop()
        return target
    }

    /// Settings under which an ejected target stays ejected for the whole test.
    private static let forAnHour = FleetSettings(ejection: FleetSettings.Ejection(duration: .seconds(3600)))

    private static func settings(_ more: [UpstreamTarget], _ fleet: FleetSettings = forAnHour) -> GatewaySettings {
        var settings = GatewaySettings(moreTargets: more)
        settings.fleet = fleet
        return settings
    }

    /// The status of one request, and the body of its answer.
    private static func ask(_ client: RawPeer, _ request: String = "GET / HTTP/1.1\r\nHost: a\r\n\r\n") async throws
        -> (String, String)
    {
        client.send(request)
        let head = try await client.receive(through: "\r\n\r\n")
        let length = values("content-length", in: head).first.flatMap { Int($0) } ?? 0
        let body = length > 0 ? try await client.receive(count: length) : []
        return (String(firstLine(head).split(separator: " ")[1]), String(decoding: body, as: UTF8.self))
    }

    private static func states(_ gateway: GatewayFixture) -> [Bool] {
        gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }?.targets.map(\.isIn) ?? []
    }

    @Test func `a target that refuses connections costs five attempts, and no request fails`() async throws {
        let (one, two) = (try await Self.dead(), try await RawUpstream.start())
        let echoes = two.echo()
        defer { echoes.cancel() }
        try await withGateway(Self.settings([one, two.target])) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            for number in 0..<60 {
                let (status, _) = try await Self.ask(
                    client, "POST / HTTP/1.1\r\nHost: a\r\nX-Number: \(number)\r\nContent-Length: 0\r\n\r\n")
                #expect(status == "200", "\(number)")
            }
            try await expectOutcomes([.successful: 60, .connectRefused: 5], gateway)
            #expect(Self.states(gateway) == [true, false, true])
            let report = gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }
            #expect(report?.targets[1].cause == "no connection" && report?.targets[1].since != nil)
            #expect(report?.targets.map(\.inFlight) == [0, 0, 0])
        }
        try await two.stop()
    }

    @Test func `an ejected target stays ejected after a reload that leaves its upstream unchanged`() async throws {
        let dead = try await Self.dead()
        let settings = Self.settings([dead])
        try await withGateway(settings) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            for _ in 0..<20 { #expect(try await Self.ask(client).0 == "200") }
            #expect(Self.states(gateway) == [true, false])
            await gateway.gateway.reload(try settings.configuration(for: [gateway.upstream.target], generation: 2))
            #expect(Self.states(gateway) == [true, false])
            var other = settings
            other.fleet.balance = .leastRequests
            await gateway.gateway.reload(try other.configuration(for: [gateway.upstream.target], generation: 3))
            #expect(Self.states(gateway) == [true, true])
        }
    }

    @Test func `failures of one path count once per client towards ejection`() async throws {
        let bad = try await RawUpstream.start()
        let failing = bad.answer { _ in "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n" }
        defer { failing.cancel() }
        var settings = Self.settings([bad.target])
        settings.trustedProxies = try [#require(AddressRange("127.0.0.1"))]
        try await withGateway(settings) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            func ask(from address: String) async throws -> String {
                try await Self.ask(client, "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(address)\r\n\r\n").0
            }
            for _ in 0..<40 { _ = try await ask(from: "192.0.2.1") }
            #expect(Self.states(gateway) == [true, true], "one client alone")
            for number in 2..<20 { _ = try await ask(from: "192.0.2.\(number)") }
            #expect(Self.states(gateway) == [true, false], "many clients")
            #expect(try await ask(from: "192.0.2.1") == "200")
        }
        try await bad.stop()
    }

    @Test func `requests with the same value of the hashed field go to the same target`() async throws {
        let others = [try await RawUpstream.start(), try await RawUpstream.start()]
        let echoes = others.map { $0.echo() }
        defer { for echo in echoes { echo.cancel() } }
        try await withGateway(Self.settings(others.map(\.target), FleetSettings(balance: .hash(.field("X-Cart"))))) {
            gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            for cart in 0..<40 {
                for _ in 0..<3 {
                    _ = try await Self.ask(client, "GET / HTTP/1.1\r\nHost: a\r\nx-cart: \(cart)\r\n\r\n")
                }
            }
            let counts = (others + [gateway.upstream]).map(\.connectionCount)
            #expect(counts.allSatisfy { $0 == 1 }, "each target has some carts, and one connection: \(counts)")
            var figures: [UInt64] = []
            try await eventually {
                figures = gateway.gateway.state.attempts.sums.all.values.map { $0.count(.successful) }
                return figures.reduce(0, +) == 120
            }
            #expect(figures.allSatisfy { $0 % 3 == 0 }, "\(figures)")
        }
        for other in others { try await other.stop() }
    }

    @Test func `with retries disabled, no request is retried`() async throws {
        let none = FleetSettings.Retries(budget: 0, methods: [], causes: [])
        let settings = Self.settings([try await Self.dead()], FleetSettings(ejection: nil, retries: none))
        try await withGateway(settings) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            var statuses: [String: Int] = [:]
            for _ in 0..<20 { statuses[try await Self.ask(client).0, default: 0] += 1 }
            #expect(statuses == ["200": 10, "502": 10])
            #expect(Self.states(gateway) == [true, true])
        }
    }

    @Test func `a client that disconnects frees its slot at the target`() async throws {
        let silent = try await RawUpstream.start()
        try await withGateway(Self.settings([silent.target])) { gateway in
            for _ in 0..<6 {
                let client = try await gateway.connect()
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let isSent = try await holds { gateway.gateway.requestsInFlight == 1 }
                #expect(isSent)
                try await client.reset()
                let isOver = try await holds { gateway.gateway.requestsInFlight == 0 }
                #expect(isOver)
            }
            let report = gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }
            #expect(report?.targets.map(\.inFlight) == [0, 0] && report?.targets.map(\.isIn) == [true, true])
        }
        try await silent.stop()
    }
}
