import Foundation
import NIOCore
import TestSupport
import Testing

/// Clients of the admin listener that use up resources. The data listeners must not be affected.
@Suite(.serialized) final class AdminFaultTests {
    private static func start(_ upstream: LoopbackServer) async throws -> ServedFile {
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            event_loops: 2
            issuers: {}
            resources: {open: {at: [/], upstream: "\(upstream.url)", rules: {GET /**: {public: true}}}}
            """)
        #expect(try await served.ask("/x", token: nil).status == 200)
        return served
    }

    /// True if this many requests, each on a new connection, are all answered with 200.
    private static func answers(_ port: Int, _ path: String, count: Int) async -> Bool {
        await onThread {
            (0..<count).allSatisfy { _ in
                guard let connection = try? RawConnection(port: port) else { return false }
                connection.send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
                connection.receive { _ in false }
                return connection.statuses == [200]
            }
        }
    }

    /// Sends a request as it is and returns the status of the answer.
    private static func status(_ port: Int, _ text: String) throws -> Int? {
        let connection = try RawConnection(port: port)
        connection.send(Array(text.utf8))
        connection.receive { _ in false }
        return connection.statuses.first
    }

    @Test
    func `a page of another name cannot read the admin listener, and two Host fields are 400 (T435)`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let served = try await Self.start(upstream)
        let port = served.adminPort
        for path in ["/livez", "/readyz", "/readyz?issuer=x", "/metrics"] {
            func status(_ hosts: String) throws -> Int? {
                try Self.status(port, "GET \(path) HTTP/1.1\r\n\(hosts)Connection: close\r\n\r\n")
            }
            let answer = try status("Host: 127.0.0.1:\(port)\r\n")
            #expect(answer == (path.contains("?") ? 404 : 200))
            for host in ["localhost", "localhost:\(port)", "[::1]:\(port)", "LOCALHOST"] {
                #expect(try status("Host: \(host)\r\n") == answer, "\(host)")
            }
            for host in ["evil.example", "evil.example:\(port)", "127.0.0.1.evil.example", "localhost."] {
                #expect(try status("Host: \(host)\r\n") == 421, "\(host)")
            }
            for hosts in [
                ["localhost", "evil.example"], ["evil.example", "localhost"], ["localhost", "localhost"],
                ["localhost", ""],
            ] {
                #expect(try status(hosts.map { "Host: \($0)\r\n" }.joined()) == 400, "\(hosts)")
            }
        }
        for path in ["/api/upstreams", "/api/configuration", "/nothing"] {
            let text = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\nConnection: close\r\n\r\n"
            #expect(try Self.status(port, text) == 400)
        }
        await served.stop()
        await upstream.stop()
    }

    @Test(
        .enabled(
            if: ownAddress != nil && Interop.curl != nil, "this machine has no address beyond loopback, or no curl"))
    func `allowed clients reach the probes and metrics under any host name, as Prometheus does`() async throws {
        let own = try #require(Self.ownAddress)
        let upstream = try await LoopbackServer.upstream()
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: {address: 0.0.0.0:0, allow: [\(own)]}
            issuers: {}
            resources: {open: {at: [/], upstream: "\(upstream.url)", rules: {GET /**: {public: true}}}}

            """)
        for path in ["livez", "readyz", "metrics"] {
            let call = try BearwardProcess(
                program: try #require(Interop.curl),
                [
                    "-s", "--max-time", "10", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                    "Host: bearward.monitoring.example:9901",
                    "http://\(own):\(served.adminPort)/\(path)",
                ])
            #expect(await call.exitStatus() == 0)
            #expect(call.standardOutput == "200", "\(path)")
        }
        await served.stop()
        await upstream.stop()
    }

    /// Number of connections at a port that neither side has closed, according to the system (`proc(5)`).
    private static func established(at port: Int) -> Int {
        let hexadecimal = String(port, radix: 16, uppercase: true)
        let local = ":" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        // Read in pieces, which a read of the whole file does not do.
        let table = (try? FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd()) ?? Data()
        return String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[1].hasSuffix(local) && fields[3] == "01"
        }
    }

    /// An address of this machine that is not loopback.
    private static let ownAddress = (try? System.enumerateDevices())?.lazy.compactMap { $0.address?.ipAddress }
        .first { $0.contains(".") && !$0.hasPrefix("127.") }

    @Test(
        .enabled(
            if: ownAddress != nil && Interop.curl != nil, "this machine has no address beyond loopback, or no curl"),
        arguments: [true, false])
    func `clients outside the allowed networks of admin get no answer, and this machine does`(_ isAllowed: Bool)
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let own = try #require(Self.ownAddress)
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: {address: 0.0.0.0:0, allow: [\(isAllowed ? own : "203.0.113.9")]}
            issuers: {}
            resources: {open: {at: [/], upstream: "\(upstream.url)", rules: {GET /**: {public: true}}}}
            """)
        let curl = try #require(Interop.curl)
        for (host, expected) in [("127.0.0.1", true), (own, isAllowed), ("127.0.0.1", true)] {
            let call = try BearwardProcess(
                program: curl, ["-s", "--max-time", "10", "http://\(host):\(served.adminPort)/livez"])
            #expect((await call.exitStatus() == 0) == expected, "\(host)")
            #expect(call.standardOutput == (expected ? "ok\n" : ""), "\(host)")
        }
        await served.stop()
    }

    @Test(.enabled(if: Interop.prlimit != nil, "prlimit is not installed"))
    func `many admin connections leave descriptors for data connections, and waste no CPU time`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let served = try await Self.start(upstream)
        let figures = ProcessFigures(served.gateway)
        let prlimit = try BearwardProcess(
            program: URL(fileURLWithPath: "/usr/bin/prlimit"),
            ["--pid", "\(figures.pid)", "--nofile=\(figures.descriptors + 40):4096"])
        #expect(await prlimit.exitStatus() == 0)
        var idle: [RawConnection] = []
        for _ in 0..<200 { idle.append(try RawConnection(port: served.adminPort)) }
        // Some connections are kept, and the others are closed or wait.
        let isBusy = await BearwardProcess.wait { idle.contains(where: \.isClosedByPeer) }
        #expect(isBusy)
        #expect(await Self.answers(served.port, "/x", count: 40))
        let before = figures.cpuSeconds
        try await Task.sleep(for: .seconds(2))
        #expect(figures.cpuSeconds - before < 0.2, "a busy loop")
        #expect(await Self.answers(served.port, "/x", count: 40))
        idle.removeAll()
        #expect(await BearwardProcess.wait { await Self.answers(served.adminPort, "/readyz", count: 1) })
        await served.stop()
        await upstream.stop()
    }

    @Test(.enabled(if: Interop.prlimit != nil, "prlimit is not installed"))
    func `with no descriptors left, the admin listener wastes no CPU, and answers again when some are free`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let served = try await Self.start(upstream)
        let figures = ProcessFigures(served.gateway)
        let prlimit = try BearwardProcess(
            program: URL(fileURLWithPath: "/usr/bin/prlimit"),
            ["--pid", "\(figures.pid)", "--nofile=\(figures.descriptors + 24):4096"])
        #expect(await prlimit.exitStatus() == 0)
        var data: [RawConnection] = []
        for _ in 0..<100 { data.append(try RawConnection(port: served.port)) }
        #expect(await BearwardProcess.wait { served.gateway.standardError.contains("A connection cannot be accepted") })
        var admin: [RawConnection] = []
        for _ in 0..<3 { admin.append(try RawConnection(port: served.adminPort)) }
        let before = figures.cpuSeconds
        try await Task.sleep(for: .seconds(2))
        #expect(figures.cpuSeconds - before < 0.2, "a busy loop")
        data.removeAll()
        // The listener works again after the shortage, although its clients are still connected.
        #expect(await BearwardProcess.wait { await Self.answers(served.adminPort, "/readyz", count: 1) })
        admin.removeAll()
        #expect(await Self.answers(served.port, "/x", count: 10))
        await served.stop()
        await upstream.stop()
    }

    @Test func `at most sixty-four admin connections are open, and the next waits until one closes`() async throws {
        let upstream = try await LoopbackServer.upstream()
        let served = try await Self.start(upstream)
        var clients: [RawConnection] = []
        for _ in 0..<80 {
            let client = try RawConnection(port: served.adminPort)
            client.send(Array("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            clients.append(client)
        }
        let answered = { clients.count { $0.has200(within: .milliseconds(10)) } }
        #expect(await BearwardProcess.wait { answered() >= 64 })
        #expect(answered() == 64)
        let ended = try #require(clients.firstIndex { $0.statuses == [200] })
        clients.remove(at: ended)
        // As many as before: one client left, and one that waited was accepted.
        #expect(await BearwardProcess.wait { answered() == 64 })
        #expect(await Self.answers(served.port, "/x", count: 10))
        clients.removeAll()
        await served.stop()
        await upstream.stop()
    }

    @Test(.slow) func `an admin client that is silent, sends an endless request or does not read is disconnected`()
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let served = try await Self.start(upstream)
        let openings = [
            "", "GET /livez HTTP/1.1\r\nHost:",
            "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n",
            String(repeating: "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 5000),
            "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ]
        var clients: [RawConnection] = []
        for opening in openings {
            let client = try RawConnection(port: served.adminPort)
            client.sendSome(Array(opening.utf8))
            clients.append(client)
        }
        let areOpen = await BearwardProcess.wait { Self.established(at: served.adminPort) == openings.count }
        #expect(areOpen, "\(Self.established(at: served.adminPort)) are open")
        let areClosed = await BearwardProcess.wait(atMost: .seconds(60)) {
            // The second client continues with its head, the third with its body.
            for client in clients[1...2] { client.sendSome(Array("x".utf8)) }
            return Self.established(at: served.adminPort) == 0
        }
        #expect(areClosed, "\(Self.established(at: served.adminPort)) are open")
        clients.removeAll()
        await served.stop()
        await upstream.stop()
    }
}

extension RawConnection {
    /// True if a complete 200 response has arrived within the limit.
    fileprivate func has200(within limit: Duration) -> Bool {
        if statuses != [200] { receive(atMost: limit) { _ in self.statuses == [200] } }
        return statuses == [200]
    }
}
