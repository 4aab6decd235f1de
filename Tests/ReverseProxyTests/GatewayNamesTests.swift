import Logging
import NIOCore
import NIOPosix
import ProxySettings
import Synchronization
import Testing

@testable import ReverseProxy

/// Upstreams with host names, and a scripted resolver.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct GatewayNamesTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// - Parameter hosts: host names of the targets, which get requests in turn.
    private func withNames(
        _ hosts: [String], connect: Duration = .seconds(30), _ names: ScriptedNames,
        _ body: @Sendable (GatewayFixture) async throws -> Void
    ) async throws {
        var settings = GatewaySettings()
        settings.timeouts.connect = connect
        settings.lookUp = names.lookUp
        let upstream = try await RawUpstream.start()
        let targets = hosts.map { UpstreamTarget(host: $0, port: upstream.target.port) }
        let echo = upstream.echo()
        defer { echo.cancel() }
        try await withGateway(settings, targets: targets, upstream: upstream, body)
    }

    @Test func `a slow lookup delays only requests for that name`() async throws {
        let names = ScriptedNames()
        names.answer("slow.example", "127.0.0.1")
        names.answer("good.example", "127.0.0.1")
        names.hold("slow.example")
        try await withNames(["slow.example", "good.example"], names) { gateway in
            // The one event loop uses the targets in turn: one request waits for the slow name, the other is answered.
            let clients = [try await gateway.connect(), try await gateway.connect()]
            for client in clients { client.send(Self.get) }
            try await eventually { clients.contains { $0.text.hasPrefix("HTTP/1.1 200 OK\r\n") } }
            #expect(clients.count { $0.text.hasPrefix("HTTP/1.1 200 OK\r\n") } == 1)
            #expect(names.lookups(of: "slow.example") == 1)
            names.release("slow.example")
            for client in clients {
                #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            }
        }
    }

    @Test func `a name is looked up once for all waiting requests and for later ones`() async throws {
        let names = ScriptedNames()
        names.answer("slow.example", "127.0.0.1")
        names.hold("slow.example")
        try await withNames(["slow.example"], names) { gateway in
            var clients: [RawPeer] = []
            for _ in 0..<5 {
                let client = try await gateway.connect()
                client.send(Self.get)
                clients.append(client)
            }
            try await eventually { gateway.gateway.requestsInFlight == 5 }
            names.release("slow.example")
            for client in clients {
                #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            }
            #expect(gateway.upstream.connectionCount == 5)
            let late = try await gateway.connect()
            late.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            #expect(firstLine(try await late.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            #expect(names.lookups(of: "slow.example") == 1)
        }
    }

    @Test func `a first lookup that takes too long is 504, and its late answer serves the next request`() async throws {
        let names = ScriptedNames()
        names.answer("slow.example", "127.0.0.1")
        names.hold("slow.example")
        try await withNames(["slow.example"], connect: .milliseconds(300), names) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 504 Gateway Timeout")
            let line = try #require(try await gateway.logLines(1).first)
            #expect(line.contains(#""reason":"upstream_timeout""#))
            #expect(upstreamError(in: line) == "no connection within `connect`")
            try await expectOutcomes([.connectTimeout: 2], gateway)
            names.release("slow.example")
            var status = ""
            try await eventuallyAnswered({ status == "HTTP/1.1 200 OK" }) {
                client.send(Self.get)
                status = firstLine(try await client.receive(through: "\r\n\r\n"))
                _ = try await client.receive(through: status.hasSuffix("OK") ? "\r\n\r\n" : "}")
            }
            #expect(status == "HTTP/1.1 200 OK")
            #expect(names.lookups(of: "slow.example") == 1)
        }
    }

    /// Repeats a request until its answer is right, up to a time limit.
    private func eventuallyAnswered(_ isRight: () -> Bool, _ ask: () async throws -> Void) async throws {
        let end = ContinuousClock.now + .seconds(10)
        repeat { try await ask() } while !isRight() && ContinuousClock.now < end
    }

    @Test func `a name without an address is 502`() async throws {
        try await withNames(["nowhere.example"], ScriptedNames()) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 502 Bad Gateway")
            let line = try #require(try await gateway.logLines(1).first)
            #expect(line.contains(#""reason":"upstream_unreachable""#))
            #expect(upstreamError(in: line) == "name not found")
            try await expectOutcomes([.nameNotFound: 2], gateway)
        }
    }

    @Test func `addresses of both families are tried one after the other`() async throws {
        let names = ScriptedNames()
        // The upstream listens only at the last address.
        names.answer("many.example", "::1", "127.0.0.2", "127.0.0.1")
        try await withNames(["many.example"], names) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
        }
    }

    @Test func `the last good answer is used during a new lookup, and after a failed one`() async throws {
        let names = ScriptedNames()
        names.answer("a.example", "192.0.2.1")
        let log = LogLines()
        let resolver = NameResolver(logger: log.logger, lookUp: names.lookUp)
        resolver.keep(["a.example"])
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        func ask() async throws -> [String?] {
            try await resolver.addresses(of: "a.example", on: loop).0.get().map(\.ipAddress)
        }
        func refresh() { resolver.refresh(at: EventLoopClock.now() + NameTable.lifetimes.upperBound) }

        #expect(try await ask() == ["192.0.2.1"])
        names.hold("a.example")
        names.fail("a.example")
        refresh()
        try await eventually { names.lookups(of: "a.example") == 2 }
        #expect(names.lookups(of: "a.example") == 2)
        #expect(try await ask() == ["192.0.2.1"])
        names.release("a.example")
        try await eventually { log.contains("An upstream's name cannot be resolved") }
        #expect(log.contains("An upstream's name cannot be resolved"))
        #expect(try await ask() == ["192.0.2.1"])
        names.answer("a.example", "192.0.2.2")
        refresh()
        try await eventually { log.contains("An upstream's name can be resolved again") }
        #expect(try await ask() == ["192.0.2.2"])
        #expect(names.lookups(of: "a.example") == 3)
    }

    @Test func `a request that stops waiting for a lookup is released, and the others get the answer`() async throws {
        let names = ScriptedNames()
        names.answer("a.example", "192.0.2.1")
        names.hold("a.example")
        let resolver = NameResolver(logger: LogLines().logger, lookUp: names.lookUp)
        resolver.keep(["a.example"])
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let (gone, waiter) = resolver.addresses(of: "a.example", on: loop)
        let (staying, _) = resolver.addresses(of: "a.example", on: loop)
        resolver.cancel(try #require(waiter))
        await #expect(throws: CancellationError.self) { try await gone.get() }
        names.release("a.example")
        #expect(try await staying.get().map(\.ipAddress) == ["192.0.2.1"])
        #expect(names.lookups(of: "a.example") == 1)
    }

    @Test func `reading a name starts its lookup, and its generation changes when its addresses change`()
        async throws
    {
        let names = ScriptedNames()
        names.answer("a.example", "192.0.2.1", "2001:db8::1")
        let resolver = NameResolver(logger: LogLines().logger, lookUp: names.lookUp)
        resolver.keep(["a.example"])
        func refresh() { resolver.refresh(at: EventLoopClock.now() + NameTable.lifetimes.upperBound) }
        #expect(resolver.current("a.example").generation == 0)
        let (addresses, generation) = resolver.current("a.example")
        #expect(addresses.map(\.ipAddress) == ["192.0.2.1", "2001:db8::1"])
        #expect(generation > 0)
        names.answer("a.example", "2001:db8::1", "192.0.2.1")
        refresh()
        #expect(resolver.current("a.example").generation == generation)
        names.answer("a.example", "192.0.2.1")
        refresh()
        #expect(resolver.current("a.example").addresses.map(\.ipAddress) == ["192.0.2.1"])
        #expect(resolver.current("a.example").generation > generation)
        #expect(names.lookups(of: "a.example") == 3)
    }

    @Test func `the system's resolver returns each address, without a port`() async throws {
        let resolver = NameResolver(logger: LogLines().logger)
        let addresses = try await resolver.addresses(of: "localhost", on: MultiThreadedEventLoopGroup.singleton.any()).0
            .get()
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { ["127.0.0.1", "::1"].contains($0.ipAddress) && $0.port == 0 })
    }

    // MARK: Names whose addresses are targets

    /// A gateway in front of all addresses of `fleet.example`, whose DNS records expire after a second.
    private func withFleet(
        _ names: ScriptedNames, health: HealthCheck? = nil, _ body: @Sendable (GatewayFixture) async throws -> Void
    ) async throws {
        var settings = GatewaySettings()
        settings.fleet.health = health
        settings.lookUp = names.lookUp
        settings.timeouts.connect = .seconds(1)
        let upstream = try await RawUpstream.start()
        let target = UpstreamTarget(host: "fleet.example", port: upstream.target.port, isEveryAddress: true)
        try await withGateway(settings, targets: [target], upstream: upstream, body)
    }

    private static func targets(_ gateway: GatewayFixture) -> [String] {
        let report = gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }
        return report?.targets.map { $0.name.split(separator: ":").first.map(String.init) ?? "" }.sorted() ?? []
    }

    private static func status(_ client: RawPeer) async throws -> String {
        client.send(get)
        return firstLine(try await client.receive(through: "\r\n\r\n"))
    }

    private static let empty: @Sendable (String) -> String = { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }

    @Test func `each address of a name is a target, and a removed address closes its connections when idle`()
        async throws
    {
        let names = ScriptedNames()
        names.answer("fleet.example", "127.0.0.1", "127.0.0.2", lifetime: .seconds(1))
        try await withFleet(names) { gateway in
            let other = try await RawUpstream.start(host: "127.0.0.2", port: gateway.upstream.target.port)
            let answers = gateway.upstream.answer(Self.empty)
            defer { answers.cancel() }
            #expect(Self.targets(gateway) == ["127.0.0.1", "127.0.0.2"])
            // Targets are used in turn: two of four requests wait at the other target, which is silent.
            var clients: [RawPeer] = []
            for _ in 0..<4 {
                let client = try await gateway.connect()
                client.send(Self.get)
                clients.append(client)
            }
            let waiting = [try await other.connection(0), try await other.connection(1)]
            for server in waiting { _ = try await server.receive(through: "\r\n\r\n") }
            // The first request of that target completes and leaves an idle connection.
            waiting[0].send(Self.empty(""))
            try await eventually { clients.count { $0.text.hasPrefix("HTTP/1.1 200 OK") } == 3 }

            names.answer("fleet.example", "127.0.0.1", lifetime: .seconds(1))
            try await eventually { Self.targets(gateway) == ["127.0.0.1"] }
            _ = try await waiting[0].receiveToEnd()
            let client = try await gateway.connect()
            for _ in 0..<6 { #expect(try await Self.status(client) == "HTTP/1.1 200 OK") }
            #expect(other.connectionCount == 2)
            waiting[1].send(Self.empty(""))
            try await eventually { clients.allSatisfy { $0.text.hasPrefix("HTTP/1.1 200 OK") } }
            _ = try await waiting[1].receiveToEnd()
            // All requests are counted under the name.
            try await eventually {
                gateway.gateway.state.attempts.sums.all.keys.allSatisfy { $0[0].hasPrefix("fleet.example:") }
            }
            try await other.stop()
        }
    }

    @Test func `a fleet name without an address is 503, and its first address then gets requests`() async throws {
        let names = ScriptedNames()
        names.fail("fleet.example")
        try await withFleet(names) { gateway in
            let answers = gateway.upstream.answer(Self.empty)
            defer { answers.cancel() }
            let client = try await gateway.connect()
            client.send(Self.get)
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "HTTP/1.1 503 Service Unavailable" && values("retry-after", in: head) == ["1"])
            #expect(Self.targets(gateway).isEmpty)
            names.answer("fleet.example", "127.0.0.1")
            try await eventually { Self.targets(gateway) == ["127.0.0.1"] }
            let next = try await gateway.connect()
            #expect(try await Self.status(next) == "HTTP/1.1 200 OK")
        }
    }

    @Test func `while a reload waits for a name, the earlier targets serve and are reported`() async throws {
        let names = ScriptedNames()
        names.answer("fleet.example", "127.0.0.1", lifetime: .seconds(1))
        names.answer("new.example", "127.0.0.1")
        names.hold("new.example")
        var settings = GatewaySettings()
        settings.lookUp = names.lookUp
        settings.timeouts.connect = .seconds(20)
        let upstream = try await RawUpstream.start()
        let targets = ["fleet.example", "new.example"].map {
            UpstreamTarget(host: $0, port: upstream.target.port, isEveryAddress: true)
        }
        let next = try settings.configuration(for: [targets[1]], generation: 2)
        try await withGateway(settings, targets: [targets[0]], upstream: upstream) { gateway in
            let answers = gateway.upstream.answer(Self.empty)
            defer { answers.cancel() }
            async let reload: Void = gateway.gateway.reload(next)
            try await eventually { names.lookups(of: "new.example") == 1 }
            let client = try await gateway.connect()
            for _ in 0..<50 { #expect(try await Self.status(client) == "HTTP/1.1 200 OK") }
            #expect(Self.targets(gateway) == ["127.0.0.1"] && gateway.gateway.configuration.generation == 1)
            names.release("new.example")
            await reload
            #expect(try await Self.status(client) == "HTTP/1.1 200 OK")
        }
    }

    @Test func `a reload does not wait for names that the new configuration does not have`() async throws {
        let names = ScriptedNames()
        names.fail("fleet.example")
        try await withFleet(names) { gateway in
            let start = ContinuousClock.now
            var settings = GatewaySettings()
            settings.timeouts.connect = .seconds(50)
            await gateway.gateway.reload(try settings.configuration(for: [gateway.upstream.target], generation: 2))
            #expect(ContinuousClock.now - start < .seconds(25))
        }
    }

    @Test func `a new address is health checked`() async throws {
        let names = ScriptedNames()
        names.answer("fleet.example", "127.0.0.1", lifetime: .seconds(1))
        let check = HealthCheck(
            .http(path: "/", expect: 200...299), interval: .milliseconds(100), timeout: .seconds(1), downAfter: 1,
            upAfter: 1)
        try await withFleet(names, health: check) { gateway in
            let answers = gateway.upstream.answer(Self.empty)
            defer { answers.cancel() }
            // Nothing listens at the second address.
            names.answer("fleet.example", "127.0.0.1", "127.0.0.3", lifetime: .seconds(1))
            try await eventually {
                let report = gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }
                return report?.targets.map(\.isIn) == [true, false]
                    && report?.targets.last?.cause == "health check: no connection"
            }
        }
    }
}

/// A logger's backend that keeps the log lines.
private final class LogLines: Sendable {
    private let messages = Mutex<[String]>([])

    func contains(_ message: String) -> Bool { messages.withLock { $0.contains(message) } }

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.messages.withLock { $0.append("\(event.message)") }
        }
    }
}
